//! Captures: read back by a reader of its own, and by the real tshark.

use std::process::Command;

use simnet::ethernet::transport::{Datagram, Tcp, TcpParameters};
use simnet::ethernet::{Buffer, Counters, Flow, Parameters, PauseCounters, PfcParameters};
use simnet::ids::{ChannelId, HostId};
use simnet::medium::{Medium, Message};
use simnet::report::{Pcapng, Tally};
use simnet::topology::Network;
use simnet::units::{BitRate, Bytes, Duration, Time};

use support_media::ethernet::{Ring, attachments, chain, interleaved};
use support_network::peer;

/// What a capture says of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Packet {
    interface: usize,
    ns: u64,
    flags: u32,
    bytes: Vec<u8>,
}

/// A reader of the blocks that the draft requires, and of nothing else: panics at anything that it does not allow.
fn read(file: &[u8]) -> (Vec<String>, Vec<Packet>) {
    let (mut names, mut packets, mut rest) = (Vec::new(), Vec::new(), file);
    let mut first = true;
    while !rest.is_empty() {
        let (kind, length) = (word(rest, 0), word(rest, 4) as usize);
        assert!(length % 4 == 0 && word(rest, length - 4) as usize == length);
        let body = &rest[8..length - 4];
        rest = &rest[length..];
        match kind {
            0x0a0d_0d0a => {
                assert!(first && word(body, 0) == 0x1a2b_3c4d && word(body, 4) == 1);
                options(&body[16..]);
            }
            1 => {
                assert_eq!((word(body, 0), word(body, 4)), (1, 0));
                let options = options(&body[8..]);
                let value = |code| options.iter().find(|(c, _)| *c == code).map(|(_, value)| value.clone());
                assert_eq!((value(9), value(13)), (Some(vec![9]), Some(vec![0])));
                names.push(String::from_utf8(value(2).unwrap()).unwrap());
            }
            6 => {
                let ns = u64::from(word(body, 4)) << 32 | u64::from(word(body, 8));
                let length = word(body, 12) as usize;
                assert_eq!(length, word(body, 16) as usize);
                let options = options(&body[20 + length.next_multiple_of(4)..]);
                let [(2, flags)] = &options[..] else { panic!("{options:?}") };
                let (interface, flags) = (word(body, 0) as usize, word(flags, 0));
                assert!(interface < names.len());
                packets.push(Packet { interface, ns, flags, bytes: body[20..20 + length].to_vec() });
            }
            other => panic!("a block of type {other}"),
        }
        first = false;
    }
    (names, packets)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn options(mut bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut options = Vec::new();
    loop {
        let (head, rest) = bytes.split_at(4);
        let code = u16::from_le_bytes([head[0], head[1]]);
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        if code == 0 {
            assert!(rest.is_empty() && length == 0);
            return options;
        }
        options.push((code, rest[..length].to_vec()));
        bytes = &rest[length.next_multiple_of(4)..];
    }
}

fn capture(net: &Network, parameters: &Parameters, limit: u64) -> Pcapng<Vec<u8>> {
    Pcapng::new(Vec::new(), net, &parameters.rates, limit).unwrap()
}

fn lan(net: &Network, buffer: Buffer) -> Parameters {
    let rate = BitRate::new(100_000_000).unwrap();
    let mut parameters = Parameters::uniform(net.links().len(), rate, Duration::from_us(1));
    parameters.buffer = buffer;
    parameters
}

/// A ring of datagrams with the capture of it.
fn datagrams(net: &Network, order: Vec<HostId>, bytes: u64, limit: u64) -> (Vec<u8>, Tally, Counters) {
    let parameters = lan(net, Buffer::Unbounded);
    let watch = capture(net, &parameters, limit);
    let mut medium = Datagram::new(net, &parameters, &attachments(net), 8, watch).unwrap();
    Ring::new(order, bytes).run(&mut medium);
    let counters = medium.counters().into_owned();
    let (file, tally) = medium.into_observer().finish().unwrap();
    (file, tally, counters)
}

/// A ring over TCP with the capture of it.
fn segments(net: &Network, order: Vec<HostId>, bytes: u64, buffer: Buffer) -> (Vec<u8>, Tally, Counters) {
    let parameters = lan(net, buffer);
    let watch = capture(net, &parameters, u64::MAX);
    let tcp = TcpParameters::default();
    let mut medium = Tcp::new(net, &parameters, &attachments(net), &tcp, watch).unwrap();
    let mut ring = Ring::new(order, bytes);
    ring.run(&mut medium);
    assert_eq!(ring.lost, 0);
    let counters = medium.counters().into_owned();
    let (file, tally) = medium.into_observer().finish().unwrap();
    (file, tally, counters)
}

fn hosts(net: &Network) -> Vec<HostId> {
    net.host_ids().collect()
}

/// What tshark prints of a capture for these arguments, after keeping only what passed `port` where one is named.
/// Panics if it complains.
fn tshark(file: &[u8], port: Option<&str>, arguments: &[&str]) -> Option<String> {
    let program = peer("tshark")?;
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, arguments: &[&str]| {
        let output =
            Command::new(&program).current_dir(&folder).args(["-r", name]).args(arguments).output().unwrap();
        let complaints = String::from_utf8(output.stderr).unwrap();
        let complaints: Vec<&str> =
            complaints.lines().filter(|line| !line.is_empty() && !line.contains("Running as user")).collect();
        assert!(output.status.success() && complaints.is_empty(), "{complaints:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    std::fs::write(folder.path().join("all.pcapng"), file).unwrap();
    let Some(port) = port else { return Some(run("all.pcapng", arguments)) };
    run("all.pcapng", &["-Y", &format!("frame.interface_name == \"{port}\""), "-w", "one.pcapng"]);
    Some(run("one.pcapng", arguments))
}

const STRICT: [&str; 6] =
    ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "eth.check_fcs:TRUE"];

/// Wrong if a packet were missing, doubled, misplaced or mangled: frames out of all ports are the Ethernet's hops, so
/// are those into them, stamps do not go back, short frames are padded.
#[test]
fn a_capture_has_every_frame_where_it_passes() {
    let net = chain(2, 2);
    for bytes in [1, 5_000] {
        let (file, tally, counters) = datagrams(&net, hosts(&net), bytes, u64::MAX);
        let (names, packets) = read(&file);
        assert_eq!(names.len(), 2 * net.links().len());
        assert_eq!((packets.len() as u64, 0), (tally.packets, tally.left_out));
        for way in [1, 2] {
            let count = packets.iter().filter(|packet| packet.flags & 3 == way).count();
            assert_eq!(count as u64, counters.hops());
        }
        assert!(packets.is_sorted_by_key(|packet| packet.ns));
        assert!(packets.iter().all(|packet| packet.bytes.len() >= 60 && packet.flags >> 2 == 1));
        let at = |name: &str| names.iter().position(|other| other == name).unwrap();
        let first = packets.iter().find(|packet| packet.interface == at("h0:0")).unwrap();
        assert_eq!((first.ns, first.flags & 3), (0, 2));
        // 72 byte times of 80 ns and 1 us for the least frame; the first of 5,000 B is a full one.
        let arrived = packets.iter().find(|packet| packet.interface == at("s0:2")).unwrap();
        assert_eq!(arrived.ns, 80 * if bytes == 1 { 72 } else { 1_526 } + 1_000);
        assert_eq!(arrived.bytes, first.bytes);
    }
}

/// Wrong if a limit let more through, or watching changed what it watches.
#[test]
fn a_limit_leaves_the_rest_out() {
    let net = chain(2, 2);
    let (whole, all, counters) = datagrams(&net, hosts(&net), 5_000, u64::MAX);
    let (part, tally, again) = datagrams(&net, hosts(&net), 5_000, 10);
    assert_eq!(counters, again);
    assert_eq!(tally, Tally { packets: 10, left_out: all.packets - 10 });
    assert!(whole.starts_with(&part));
    let mut unwatched =
        Datagram::new(&net, &lan(&net, Buffer::Unbounded), &attachments(&net), 8, ()).unwrap();
    Ring::new(hosts(&net), 5_000).run(&mut unwatched);
    assert_eq!(*unwatched.counters(), counters);
}

/// Something that takes a few bytes and then no more.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Wrong if a full disk went unnoticed, or stopped the run.
#[test]
fn a_full_disk_is_told_at_the_end() {
    let net = chain(1, 2);
    let parameters = lan(&net, Buffer::Unbounded);
    let watch = Pcapng::new(Full(5_000), &net, &parameters.rates, u64::MAX).unwrap();
    let mut medium = Datagram::new(&net, &parameters, &attachments(&net), 8, watch).unwrap();
    medium.send(Message { source: HostId(0), destination: HostId(1), bytes: 50_000, tag: 0 }, Time::ZERO);
    assert_eq!(std::iter::from_fn(|| medium.advance(None)).count(), 2);
    let watch = medium.into_observer();
    assert!(watch.has_failed());
    assert_eq!(watch.finish().err().unwrap().kind(), std::io::ErrorKind::StorageFull);
}

/// Wrong if tshark had anything to complain of in a capture of datagrams, or counted other than the Ethernet did.
#[test]
fn tshark_reads_datagrams_without_a_complaint() {
    let (net, order) = interleaved(2, 3);
    for bytes in [10, 20_000] {
        let (file, tally, counters) = datagrams(&net, order.clone(), bytes, u64::MAX);
        let fields =
            ["-T", "fields", "-e", "frame.interface_name", "-e", "eth.type", "-e", "_ws.expert.message"];
        let Some(text) = tshark(&file, None, &[&STRICT[..], &fields[..]].concat()) else { return };
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len() as u64, tally.packets);
        assert_eq!(tally.packets, 2 * counters.hops());
        assert!(lines.iter().all(|line| line.ends_with("\t0x88b5\t")), "{lines:?}");
        assert!(lines[0].starts_with("h0:0\t"), "{}", lines[0]);
    }
}

/// Wrong if a checksum, a length or an option of any TCP, IP or ARP frame were not what tshark computes itself; under
/// loss too. Of sequence numbers it is asked at one port, since a capture of all ports has every segment many times.
#[test]
fn tshark_finds_every_tcp_frame_well_made() {
    let (net, order) = interleaved(2, 3);
    for buffer in [Buffer::Unbounded, Buffer::PerPort(Bytes(20_000))] {
        let (file, tally, counters) = segments(&net, order.clone(), 60_000, buffer);
        let is_lossy = buffer != Buffer::Unbounded;
        assert_eq!(counters.dropped() > 0, is_lossy);
        let whole = ["-o", "tcp.analyze_sequence_numbers:FALSE", "-T", "fields"];
        let fields = ["-e", "frame.protocols", "-e", "ip.checksum.status", "-e", "tcp.checksum.status"];
        let expert = ["-e", "_ws.expert.group", "-e", "_ws.expert.message"];
        let Some(text) = tshark(&file, None, &[&STRICT[..], &whole, &fields, &expert].concat()) else {
            return;
        };
        assert_eq!((text.lines().count() as u64, tally.packets), (tally.packets, 2 * counters.hops()));
        let connection = ["Connection establish", "Connection finish"];
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[0] {
                "eth:ethertype:arp" => assert_eq!(fields[1..], ["", "", "", ""], "{line}"),
                "eth:ethertype:ip:tcp" | "eth:ethertype:ip:tcp:data" => {
                    assert_eq!(fields[1..3], ["1", "1"], "{line}");
                    let is_quiet =
                        fields[4].is_empty() || connection.iter().any(|c| fields[4].starts_with(c));
                    assert!(
                        is_quiet && (fields[3].is_empty() || fields[3].starts_with("33554432")),
                        "{line}"
                    );
                }
                other => panic!("{other}: {line}"),
            }
        }
        // At one port, where each segment passes once, sequence numbers are in order too; a full window is no fault.
        // A segment that goes again with new bytes behind the old ones makes tshark miss the new ones.
        let expert = ["-T", "fields", "-e", "_ws.expert.message"];
        let Some(text) = tshark(&file, Some("h0:0"), &[&STRICT[..], &expert].concat()) else { return };
        let allowed = ["Connection establish", "TCP window specified by the receiver is now completely full"];
        let odd = |line: &&str| !line.is_empty() && !allowed.iter().any(|allowed| line.starts_with(allowed));
        assert_eq!(text.lines().filter(odd).count() > 0, is_lossy);
        let caused =
            ["etransmission", "Duplicate ACK", "window update", "captured", "out-of-order", "Keep-Alive"];
        for line in text.lines().filter(odd) {
            assert!(caused.iter().any(|caused| line.contains(caused)), "{line}");
        }
    }
}

/// Wrong if a PAUSE frame were missing from a capture, or were not one to tshark: MAC control, per priority, XOFF with
/// its quanta, the longest time without any, as often as it is said, and XON with none.
#[test]
fn tshark_finds_every_pause() {
    find_every_pause(None);
    find_every_pause(Some(400));
}

fn find_every_pause(quanta: Option<u16>) {
    let net = chain(1, 3);
    let mut parameters = lan(&net, Buffer::Unbounded);
    parameters.rates[2] = BitRate::new(10_000_000).unwrap();
    let pfc = PfcParameters::new(Bytes(10_000), Bytes(5_000), Bytes(20_000));
    parameters.flow = Flow::Pfc(PfcParameters { quanta, ..pfc });
    let watch = capture(&net, &parameters, u64::MAX);
    let mut medium = Datagram::new(&net, &parameters, &attachments(&net), 8, watch).unwrap();
    medium.introduce_all();
    medium.send(Message { source: HostId(0), destination: HostId(2), bytes: 200_000, tag: 0 }, Time::ZERO);
    while medium.advance(None).is_some() {}
    let sums = |of: fn(&PauseCounters) -> u64| -> u64 {
        let channels = (0..6).map(ChannelId::new);
        channels.map(|channel| of(&medium.ethernet().pauses(channel, 3).unwrap())).sum()
    };
    let [xoff, xon, again] = [sums(|it| it.xoff), sums(|it| it.xon), sums(|it| it.refreshed)];
    assert!(xoff > 3 && xon == xoff, "{xoff} XOFF, {xon} XON");
    assert_eq!(again > 0, quanta.is_some(), "{again} said again");
    let (file, _) = medium.into_observer().finish().unwrap();
    let (names, packets) = read(&file);
    let pauses: Vec<&Packet> = packets.iter().filter(|packet| packet.bytes[12..14] == [0x88, 0x08]).collect();
    // Each leaves the switch's port, and is obeyed at the host's.
    assert_eq!(pauses.len() as u64, 2 * (xoff + again + xon));
    for packet in &pauses {
        let is_out = packet.flags & 3 == 2;
        assert_eq!(names[packet.interface], if is_out { "s0:2" } else { "h0:0" });
        assert_eq!((packet.flags >> 2, packet.bytes.len()), (2, 60));
    }
    let fields =
        ["-T", "fields", "-e", "macc.opcode", "-e", "macc.cbfc.enbv", "-e", "macc.cbfc.pause_time.c3"];
    let arguments = [&["-Y", "macc", "-E", "separator=,"][..], &fields, &STRICT].concat();
    let Some(text) = tshark(&file, Some("s0:2"), &arguments) else { return };
    let time = format!(",{}", quanta.unwrap_or(u16::MAX));
    let (stops, goes): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.ends_with(&time));
    assert_eq!((stops.len() as u64, goes.len() as u64), (xoff + again, xon), "{text}");
    assert!(stops.iter().all(|line| line.starts_with("0x0101,0x0008,")), "{text}");
    assert!(goes.iter().all(|line| *line == "0x0101,0x0008,0"), "{text}");
}
