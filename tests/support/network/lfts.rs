//! The smallest subnet with its forwarding tables, as OpenSM dumps them.

/// Two switches with a host each.
pub const PAIR: &str = r#"{"format": "simnet-topology/1", "name": "pair",
    "switches": [{"name": "s", "ports": 4, "first_port": 1, "guid": "0x00000000000000a0"},
                 {"name": "t", "ports": 4, "first_port": 1, "guid": "0x00000000000000b0"}],
    "hosts": [{"name": "a", "guid": "0x0000000000000010"}, {"name": "b", "guid": "0x0000000000000020"}],
    "links": [{"a": "a", "a_port": 0, "b": "s", "b_port": 1}, {"a": "b", "a_port": 0, "b": "t", "b_port": 1},
              {"a": "s", "a_port": 2, "b": "t", "b_port": 2}]}"#;

/// Its tables, with which both pairs have a route.
pub const SOUND: &str = "Unicast lids [0-4] of switch Lid 1 guid 0x00000000000000a0 ('s'):
0x0001 000 # Switch portguid 0x00000000000000a0: 's'
0x0002 001 # Channel Adapter portguid 0x0000000000000011: 'a'
0x0003 002 # Switch portguid 0x00000000000000b0: 't'
0x0004 002 # Channel Adapter portguid 0x0000000000000021: 'b'
4 lids dumped
Unicast lids [0-4] of switch Lid 3 guid 0x00000000000000b0 ('t'):
0x0001 002 # Switch portguid 0x00000000000000a0: 's'
0x0002 002 # Channel Adapter portguid 0x0000000000000011: 'a'
0x0003 000 # Switch portguid 0x00000000000000b0: 't'
0x0004 001 # Channel Adapter portguid 0x0000000000000021: 'b'
4 lids dumped
";
