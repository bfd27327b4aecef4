//! Cables that fail and return.

use simnet_base::ids::LinkId;
use simnet_media::fabric::Cause;

use super::{CreditOracle, LinkEvent, Resident, State};

impl CreditOracle {
    pub(super) fn links(&mut self, now: u64) {
        while self.events.front().is_some_and(|event| event.at <= now) {
            let LinkEvent { link, up, .. } = self.events.pop_front().unwrap();
            let channels = [2 * link.index(), 2 * link.index() + 1];
            if self.channels[channels[0]].up == up {
                continue;
            }
            for channel in channels {
                self.channels[channel].up = up;
            }
            if !up {
                self.fail(link, now);
            }
        }
    }

    fn fail(&mut self, link: LinkId, now: u64) {
        for number in [2 * link.index(), 2 * link.index() + 1] {
            let channel = &self.channels[number];
            let mut hit: Vec<usize> = channel.wire.iter().map(|(_, byte)| byte.packet).collect();
            hit.extend(channel.sending.map(|sending| sending.packet));
            hit.dedup();
            for packet in hit {
                self.packets[packet].spoilt = true;
                self.strike(self.packets[packet].message, Cause::LinkFailure, now);
            }
            for (at, buffer) in self.buffers() {
                let Some(Resident { packet, state: State::Waits { channel, .. }, .. }) =
                    self.front(at, buffer)
                else {
                    continue;
                };
                let packet = *packet;
                if *channel == number {
                    self.strike(self.packets[packet].message, Cause::NoSuchWire, now);
                } else if !self.packets[packet].spoilt {
                    continue;
                }
                self.doom(at, buffer);
            }
            let host = self.hosts.iter().position(|host| host.channel == Some(number));
            if let Some(host) = host {
                self.drop_unsent(host, number, now);
            }
        }
    }

    fn drop_unsent(&mut self, host: usize, channel: usize, now: u64) {
        let Some((message, left)) = self.hosts[host].current.take() else { return };
        self.strike(message, Cause::LinkFailure, now);
        self.sent[message].packets_over += left.div_ceil(self.case.credits.mtu);
        // What is being sent goes on to its end.
        let channel = &self.channels[channel];
        let last = channel.sending.map(|it| it.next_at + u64::from(it.left - 1) * channel.period + 1);
        self.hosts[host].free = last.unwrap_or(0).max(now);
    }
}
