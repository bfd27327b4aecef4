//! Blocks of a pcapng file.
//!
//! # Source
//! draft-ietf-opsawg-pcapng-02: sections 4.1 (Section Header), 4.2 (Interface Description), 4.3 (Enhanced Packet),
//! its flags word included.

use std::io::{self, Write};

use simnet_base::units::{BitRate, Time};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// Options: the end of them, the name of an interface, its description, the name of an application, an interface's
/// speed, resolution of stamps and bytes of frame check sequence in every packet, a packet's flags.
const END: u16 = 0;
const NAME: u16 = 2;
const DESCRIPTION: u16 = 3;
const APPLICATION: u16 = 4;
const SPEED: u16 = 8;
const RESOLUTION: u16 = 9;
const FCS_LENGTH: u16 = 13;
const FLAGS: u16 = 2;

/// The link type of Ethernet frames.
pub const ETHERNET: u16 = 1;
/// The first of those that everyone may use as he likes.
pub const USER0: u16 = 147;

/// Flags of a packet: what passed inwards, and outwards; to one, and to everybody.
pub const INBOUND: u32 = 1;
/// See [`INBOUND`].
pub const OUTBOUND: u32 = 2;
/// See [`INBOUND`].
pub const UNICAST: u32 = 1 << 2;
/// See [`INBOUND`].
pub const MULTICAST: u32 = 2 << 2;
/// See [`INBOUND`].
pub const BROADCAST: u32 = 3 << 2;

/// Writes a file block by block, each as soon as it is made.
#[derive(Debug)]
pub struct Blocks<W> {
    out: W,
    block: Vec<u8>,
    interfaces: u32,
}

/// What an interface is.
#[derive(Clone, Copy, Debug)]
pub struct Interface<'a> {
    /// The type of its packets: [`ETHERNET`] or [`USER0`].
    pub link_type: u16,
    /// Its name.
    pub name: &'a str,
    /// Its comment, if any.
    pub description: Option<&'a str>,
    /// Its speed, if known.
    pub speed: Option<BitRate>,
}

impl<W: Write> Blocks<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W) -> io::Result<Blocks<W>> {
        let mut blocks = Blocks { out, block: Vec::new(), interfaces: 0 };
        blocks.begin(SECTION);
        blocks.block.extend(0x1a2b_3c4d_u32.to_le_bytes());
        blocks.block.extend(1_u16.to_le_bytes());
        blocks.block.extend(0_u16.to_le_bytes());
        // The length of the section is not known while it is being written.
        blocks.block.extend(u64::MAX.to_le_bytes());
        blocks.option(APPLICATION, b"simnet");
        blocks.option(END, &[]);
        blocks.end()?;
        Ok(blocks)
    }

    /// Describes an interface, whose stamps are in nanoseconds and whose packets have no frame check sequence; gives
    /// its number.
    ///
    /// # Errors
    /// Those of writing.
    pub fn interface(&mut self, interface: &Interface<'_>) -> io::Result<u32> {
        self.begin(INTERFACE);
        self.block.extend(u32::from(interface.link_type).to_le_bytes());
        // No limit on the length of a packet.
        self.block.extend(0_u32.to_le_bytes());
        self.text(NAME, interface.name);
        if let Some(description) = interface.description {
            self.text(DESCRIPTION, description);
        }
        if let Some(speed) = interface.speed {
            self.option(SPEED, &speed.as_bits_per_s().to_le_bytes());
        }
        self.option(RESOLUTION, &[9]);
        self.option(FCS_LENGTH, &[0]);
        self.option(END, &[]);
        self.end()?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Writes a packet of `length` bytes that begins with `data`, stamped with nanoseconds, rounded down.
    ///
    /// # Errors
    /// Those of writing.
    ///
    /// # Panics
    /// If the packet has 4 GiB or more.
    pub fn packet(
        &mut self,
        now: Time,
        interface: u32,
        flags: u32,
        data: &[u8],
        length: u32,
    ) -> io::Result<()> {
        let ns = now.as_ps() / 1_000;
        self.begin(PACKET);
        self.block.extend(interface.to_le_bytes());
        let [a, b, c, d, low @ ..] = ns.to_be_bytes();
        self.block.extend(u32::from_be_bytes([a, b, c, d]).to_le_bytes());
        self.block.extend(u32::from_be_bytes(low).to_le_bytes());
        self.block.extend(u32::try_from(data.len()).expect("a packet is short").to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend(data);
        self.pad();
        self.option(FLAGS, &flags.to_le_bytes());
        self.option(END, &[]);
        self.end()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend([0; 4]);
    }

    /// An option of text, cut to what an option can hold.
    fn text(&mut self, code: u16, text: &str) {
        let mut length = text.len().min(usize::from(u16::MAX));
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        self.option(code, &text.as_bytes()[..length]);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend(code.to_le_bytes());
        self.block.extend(u16::try_from(value.len()).expect("an option is short").to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn end(&mut self) -> io::Result<()> {
        let total = u32::try_from(self.block.len() + 4).expect("a block is short").to_le_bytes();
        self.block[4..8].copy_from_slice(&total);
        self.block.extend(total);
        self.out.write_all(&self.block)
    }
}
