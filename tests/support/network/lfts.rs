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

/// Its SL2VL tables, as OpenSM dumps them: lane 1 for level 1, and all others on lane 0.
pub const SL2VL: &str = "Switch 0x00000000000000a0, base LID 1, \"s\"
#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
#--------------------------------------------------------
0   1   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0\x20
1   2   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0\x20
2   1   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  15\x20
#--------------------------------------------------------

Switch 0x00000000000000b0, base LID 3, \"t\"
#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
#--------------------------------------------------------
1   2   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0\x20
2   1   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0\x20
#--------------------------------------------------------

Channel Adapter 0x0000000000000011, base LID 2, \"a\"
#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
#--------------------------------------------------------
0   0   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0\x20
#--------------------------------------------------------

";

/// The same as ibdiagnet has it.
pub const SLVL: &str = "0x00000000000000a0 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00
0x00000000000000a0 1 2 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00
0x00000000000000a0 2 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x0f
0x00000000000000b0 1 2 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00
0x00000000000000b0 2 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00
";

/// The service levels of its paths.
pub const LEVELS: &str = "2 4 1\n4 2 0\n";

/// The same by the hosts' guids, as ibdiagnet has it.
pub const LEVELS_BY_GUID: &str = "0x0000000000000010 4 1\n0x0000000000000020 2 0\n";
