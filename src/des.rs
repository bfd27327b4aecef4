//! des.
