-- A Wireshark dissector of the messages that simnet's processes send to each other: host and loop probes, replies, routes
-- handed out, maps asked for. They are captured with link type LINKTYPE_USER0 (147) by
--
--     simnet trace LOG --to pcapng --out messages.pcapng
--     wireshark -X lua_script:docs/simnet.lua messages.pcapng
--     tshark -X lua_script:docs/simnet.lua -r messages.pcapng -Y 'simnet.kind == "host-probe"' \
--         -T fields -e frame.time_relative -e simnet.host -e simnet.nonce -e simnet.route
--
-- The layout is told in src/trace/capture.rs (the header) and src/host/message/wire.rs (bodies). Where something else has
-- taken that link type, tell Wireshark with the preference DLT_USER: DLT 147, payload dissector "simnet".

local simnet = Proto("simnet", "simnet message")

local KINDS = {
    [1] = "host-probe",
    [2] = "loop-probe",
    [3] = "host-reply",
    [4] = "route-table",
    [5] = "map-request",
    [6] = "partial-map",
    [7] = "acknowledgement",
}
local DIRECTIONS = { [1] = "send", [2] = "receive" }

local field = {
    version = ProtoField.uint8("simnet.version", "Version"),
    direction = ProtoField.string("simnet.direction", "Direction"),
    kind = ProtoField.string("simnet.kind", "Kind"),
    scene = ProtoField.uint32("simnet.scene", "Scene"),
    nonce = ProtoField.uint64("simnet.nonce", "Nonce"),
    length = ProtoField.uint32("simnet.length", "Length on the cable"),
    host = ProtoField.string("simnet.host", "Host"),
    route = ProtoField.string("simnet.route", "Route"),
    mapper = ProtoField.uint64("simnet.mapper", "Highest mapper known of"),
    turns = ProtoField.string("simnet.turns", "Turns taken"),
    back = ProtoField.string("simnet.back", "Turns back"),
    name = ProtoField.string("simnet.name", "Name"),
    unused = ProtoField.uint16("simnet.unused", "Turns left over"),
    routes = ProtoField.uint32("simnet.routes", "Routes"),
    entry = ProtoField.string("simnet.entry", "Route to"),
    finds = ProtoField.uint32("simnet.finds", "Finds"),
    find = ProtoField.string("simnet.find", "Find"),
    explored = ProtoField.string("simnet.explored", "Switches explored"),
    doubtful = ProtoField.bool("simnet.doubtful", "Answers came too late"),
    rest = ProtoField.bytes("simnet.rest", "Bytes that nothing explains"),
}
local list = {}
for _, one in pairs(field) do
    table.insert(list, one)
end
simnet.fields = list

local short = ProtoExpert.new("simnet.short", "The message ends too early", expert.group.MALFORMED, expert.severity.ERROR)
local foreign = ProtoExpert.new("simnet.foreign", "A version or a kind that is not known here", expert.group.PROTOCOL, expert.severity.WARN)
local excess = ProtoExpert.new("simnet.excess", "The message goes on after its end", expert.group.MALFORMED, expert.severity.WARN)
simnet.experts = { short, foreign, excess }

-- A reader that goes through a packet once. After it has been asked for more than there is, it only says so.
local Reader = {}
Reader.__index = Reader

function Reader.new(buffer)
    return setmetatable({ buffer = buffer, at = 0, is_short = false }, Reader)
end

-- The next so many bytes, or nil. No bytes at all are nil too.
function Reader:take(count)
    if self.is_short or self.at + count > self.buffer:len() then
        self.is_short = true
        return nil
    end
    local range = nil
    if count > 0 then
        range = self.buffer(self.at, count)
    end
    self.at = self.at + count
    return range
end

-- The number in the next so many bytes; 0 after the end.
function Reader:number(count)
    local range = self:take(count)
    return range and range:uint() or 0, range
end

-- A name, and where it is.
function Reader:name()
    local start = self.at
    local length = self:number(2)
    local range = self:take(length)
    local text = range and range:string(ENC_UTF_8) or ""
    return text, self:since(start)
end

-- Turns as text, and where they are.
function Reader:turns()
    local start = self.at
    local count = self:number(2)
    local range = self:take(2 * count)
    local turns = {}
    if range then
        for i = 0, count - 1 do
            turns[i + 1] = tostring(range(2 * i, 2):int())
        end
    end
    return table.concat(turns, " "), self:since(start)
end

-- What was read since a position; nil if that is nothing.
function Reader:since(start)
    if self.at > start then
        return self.buffer(start, self.at - start)
    end
    return nil
end

local function add(tree, which, range, value)
    if range then
        tree:add(which, range, value)
    end
end

local function route_table(reader, tree)
    local back, range = reader:turns()
    add(tree, field.back, range, back)
    local count, number = reader:number(4)
    if not number then
        return
    end
    local routes = tree:add(field.routes, number)
    for _ = 1, count do
        local start = reader.at
        local destination = reader:name()
        local turns = reader:turns()
        if reader.is_short then
            return
        end
        routes:add(field.entry, reader:since(start), destination .. ": " .. turns)
    end
end

local function partial_map(reader, tree)
    local count, number = reader:number(4)
    if not number then
        return
    end
    local finds = tree:add(field.finds, number)
    for _ = 1, count do
        local start = reader.at
        local vertex = reader:number(4)
        local port = reader:take(4)
        local what = "a switch"
        if reader:number(1) == 1 then
            what = reader:name()
        end
        if reader.is_short then
            return
        end
        local text = string.format("port %d of switch %d: %s", port:int(), vertex, what)
        finds:add(field.find, reader:since(start), text)
    end
    local start = reader.at
    local vertices = reader:number(4)
    local flags = reader:take(vertices)
    local explored = {}
    if flags then
        for i = 0, vertices - 1 do
            explored[i + 1] = flags(i, 1):uint() ~= 0 and "1" or "0"
        end
    end
    if not reader.is_short then
        add(tree, field.explored, reader:since(start), table.concat(explored))
    end
    local doubtful, one = reader:number(1)
    add(tree, field.doubtful, one, doubtful ~= 0)
end

local BODIES = {
    ["host-probe"] = function(reader, tree)
        local turns, range = reader:turns()
        add(tree, field.turns, range, turns)
    end,
    ["host-reply"] = function(reader, tree)
        local name, range = reader:name()
        add(tree, field.name, range, name)
        local unused, number = reader:number(2)
        add(tree, field.unused, number, unused)
    end,
    ["map-request"] = function(reader, tree)
        local back, range = reader:turns()
        add(tree, field.back, range, back)
    end,
    ["route-table"] = route_table,
    ["partial-map"] = partial_map,
}

local function body(reader, tree, kind)
    local has_mapper, flag = reader:number(1)
    if flag and has_mapper ~= 0 then
        local address = reader:take(8)
        if address then
            tree:add(field.mapper, address)
        end
    end
    if BODIES[kind] then
        BODIES[kind](reader, tree)
    end
end

function simnet.dissector(buffer, pinfo, root)
    pinfo.cols.protocol = "simnet"
    local tree = root:add(simnet, buffer())
    local reader = Reader.new(buffer)
    local version, range = reader:number(1)
    add(tree, field.version, range, version)
    if range and version ~= 1 then
        tree:add_proto_expert_info(foreign)
        return buffer:len()
    end
    local number
    number, range = reader:number(1)
    local direction = DIRECTIONS[number] or tostring(number)
    add(tree, field.direction, range, direction)
    number, range = reader:number(1)
    local kind = KINDS[number] or tostring(number)
    add(tree, field.kind, range, kind)
    if range and not (KINDS[number] and DIRECTIONS[reader.buffer(1, 1):uint()]) then
        tree:add_proto_expert_info(foreign)
    end
    reader:take(1)
    range = reader:take(4)
    if range then tree:add(field.scene, range) end
    local nonce = reader:take(8)
    if nonce then tree:add(field.nonce, nonce) end
    range = reader:take(4)
    if range then tree:add(field.length, range) end
    local host, route
    host, range = reader:name()
    add(tree, field.host, range, host)
    route, range = reader:turns()
    add(tree, field.route, range, route)
    -- A log may have been made without bodies.
    if not reader.is_short and reader.at < buffer:len() then
        body(reader, tree, kind)
    end
    if reader.is_short then
        tree:add_proto_expert_info(short)
    elseif reader.at < buffer:len() and KINDS[number] then
        tree:add(field.rest, buffer(reader.at))
        tree:add_proto_expert_info(excess)
    end
    local info = direction .. " " .. kind .. " at " .. host
    if nonce then info = info .. ", nonce " .. tostring(nonce:uint64()) end
    if route ~= "" then info = info .. ", route " .. route end
    pinfo.cols.info = info
    return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, simnet)
