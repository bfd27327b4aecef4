//! Source text for real machines: a ring's all-gather as a C routine.
