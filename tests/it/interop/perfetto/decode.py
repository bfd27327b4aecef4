"""Reads a Perfetto trace with Perfetto's own schema, and prints it as tests/it/interop/perfetto/decode.rs does."""
import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

trace = schema.Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
tracks, slices, samples, open_slices = {}, [], [], {}


def path(uuid):
    track = tracks[uuid]
    above = path(track.parent_uuid) + " / " if track.HasField("parent_uuid") else ""
    return above + track.name


def note(it):
    kind = it.WhichOneof("value")
    if kind == "string_value":
        return it.name, it.string_value
    if kind == "uint_value":
        return it.name, str(it.uint_value)
    if kind == "bool_value":
        return it.name, str(it.bool_value).lower()
    assert kind is None, kind
    rows = [",".join("%s=%s" % note(entry) for entry in row.dict_entries) for row in it.array_values]
    return it.name, "[%s]" % ";".join(rows)


def known(message):
    """Every field is one of the schema's, in the messages below as well."""
    try:
        from google.protobuf import unknown_fields
        assert len(unknown_fields.UnknownFieldSet(message)) == 0, message
    except ImportError:
        pass
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for one in value if hasattr(value, "append") or hasattr(value, "add") else [value]:
                known(one)


for packet in trace.packet:
    known(packet)
    if packet.WhichOneof("data") == "track_descriptor":
        tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        continue
    event = packet.track_event
    stack = open_slices.setdefault(event.track_uuid, [])
    if event.type in (event.TYPE_SLICE_BEGIN, event.TYPE_INSTANT):
        is_instant = event.type == event.TYPE_INSTANT
        one = [is_instant, event, packet.timestamp, packet.timestamp, len(stack), list(event.debug_annotations)]
        slices.append(one)
        if not is_instant:
            stack.append(one)
    elif event.type == event.TYPE_SLICE_END:
        one = stack.pop()
        one[3] = packet.timestamp
        one[5] += event.debug_annotations
    else:
        assert event.type == event.TYPE_COUNTER
        samples.append((event.track_uuid, packet.timestamp, event.counter_value))
assert not any(open_slices.values())

for uuid in sorted(tracks):
    print("track %s counter=%d" % (path(uuid), tracks[uuid].HasField("counter")))
for is_instant, event, begin, end, depth, notes in slices:
    line = "%s %s | %s [%s] %d..%d depth=%d" % (
        "instant" if is_instant else "slice", path(event.track_uuid), event.name, event.categories[0], begin, end, depth)
    line += "".join(" flow=%d" % flow for flow in event.flow_ids)
    line += "".join(" last=%d" % flow for flow in event.terminating_flow_ids)
    line += "".join(" %s=%s" % note(one) for one in notes)
    print(line)
for track, at, value in samples:
    print("sample %s %d %d" % (path(track), at, value))
