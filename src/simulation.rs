//! What a checked scenario becomes; see `docs/ARCHITECTURE.md`.
