//! Handing routes to every interface.
