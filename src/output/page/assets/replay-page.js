simnet.section("replay", simnet.replay.start);
