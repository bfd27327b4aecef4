//! The lane of management: what is let into its buffers, and when hosts send on it.

use simnet_media::fabric::Cause;

use super::{Byte, CreditOracle, Resident, Sending, State, Transmitter};

impl CreditOracle {
    /// The place of its buffers and pointers, behind those of data.
    pub(super) fn management_lane(&self) -> usize {
        usize::from(self.case.credits.lanes)
    }

    /// A byte of management reaches a switch: the first one is let in with all behind it, or none is.
    pub(super) fn management_received(&mut self, channel: usize, byte: Byte, now: u64) {
        let buffer = &mut self.channels[channel].buffers[byte.lane];
        if byte.is_first {
            let reserved: u32 = buffer.residents.iter().map(|it| self.packets[it.packet].bytes).sum();
            let room = self.case.credits.management.expect("there is a lane of management");
            if reserved + self.packets[byte.packet].bytes > room {
                self.packets[byte.packet].dropped = Some(channel);
                self.strike(self.packets[byte.packet].message, Cause::Vl15Dropped, now);
            } else {
                buffer.residents.push_back(Resident { packet: byte.packet, head_at: now, state: State::New });
            }
        }
        // What comes behind a head that was dropped further on still passes here.
        if self.packets[byte.packet].dropped != Some(channel) {
            self.channels[channel].buffers[byte.lane].bytes.push_back(byte);
            return;
        }
        let packet = &mut self.packets[byte.packet];
        packet.received += 1;
        if packet.received == packet.bytes {
            packet.over = true;
            self.sent[packet.message].packets_over += 1;
        }
    }

    /// When the host's next message of management may start.
    pub(super) fn ready_to_manage(&self, host: &Transmitter) -> Option<u64> {
        let message = host.managing.front()?;
        let ready = message.created.max(host.managing_free) + self.case.case.parameters.host.send_overhead;
        Some(ready.max(self.channels[host.channel?].idle_from))
    }

    /// Messages of management begin on idle channels, whatever data there is.
    pub(super) fn start_managing(&mut self, now: u64) {
        for host in 0..self.hosts.len() {
            let Some(channel) = self.hosts[host].channel else { continue };
            let is_ready = self.ready_to_manage(&self.hosts[host]).is_some_and(|at| at <= now);
            if !is_ready || self.channels[channel].sending.is_some() || !self.channels[channel].up {
                continue;
            }
            let message = self.hosts[host].managing.pop_front().unwrap();
            self.hosts[host].managing_now = Some(self.sent.len());
            self.begin_message(host, message, true, 1, now);
        }
    }

    /// The message that has started in this cycle is sent, if there is one.
    pub(super) fn grant_management_of_host(&mut self, host: usize, now: u64) -> bool {
        let Some(message) = self.hosts[host].managing_now.take() else { return false };
        let channel = self.hosts[host].channel.unwrap();
        assert!(self.is_idle(channel, now), "what starts is sent");
        let bytes = self.sent[message].message.payload;
        let (packet, lane) = (self.new_packet(message, bytes), self.management_lane());
        self.begin(channel, Sending { packet, lane, source: None, left: bytes, next_at: now });
        true
    }
}
