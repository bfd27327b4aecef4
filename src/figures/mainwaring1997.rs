//! Mainwaring, Chun, Schleimer and Wilkerson 1997, *System Area Network Mapping*.

mod claims;
mod construction;
