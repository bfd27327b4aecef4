//! What nodes are called where people read it: by the names that they gave.
//!
//! A dump knows nodes by ids such as `S-0002c90300000001`, and describes them as people do: `spine 1`. Files, keys and
//! `--format json` go by ids; what is shown goes by labels. This is the one place that decides which a node has.

use simnet_base::ids::Node;

use super::{End, Network};

impl Network {
    /// What a node is called where people read it: its description, if no other node is described or named so, else its
    /// name. No two nodes have the same label. Costs O(log nodes).
    pub fn label(&self, node: Node) -> &str {
        self.own_description(node).unwrap_or_else(|| self.name_of(node))
    }

    /// Whether a node is called otherwise where people read it than in files.
    pub fn is_renamed(&self, node: Node) -> bool {
        self.label(node) != self.name_of(node)
    }

    /// Whether any node is. Costs O(nodes log nodes).
    pub fn has_labels(&self) -> bool {
        self.nodes().any(|node| self.is_renamed(node))
    }

    /// Every node's label, the switches first and then the hosts. Costs O(nodes log nodes).
    pub fn labels(&self) -> Vec<&str> {
        self.nodes().map(|node| self.label(node)).collect()
    }

    /// What a port is called where people read it: `label:port`.
    pub fn port_label(&self, end: End) -> String {
        format!("{}:{}", self.label(end.node), end.port)
    }

    /// A text of a result as people read it. It is a node's name, or a port's `name:port` or `name:port/lane`, or a
    /// message's `name#number`; any other is left as it is.
    pub fn labelled(&self, text: &str) -> String {
        if let Some(node) = self.named(text) {
            return self.label(node).to_owned();
        }
        let is_rest = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit() || b == b'/');
        let parts = [':', '#'].into_iter().find_map(|mark| {
            let (name, rest) = text.rsplit_once(mark).filter(|(_, rest)| is_rest(rest))?;
            Some((self.named(name)?, mark, rest))
        });
        match parts {
            Some((node, mark, rest)) => format!("{}{mark}{rest}", self.label(node)),
            None => text.to_owned(),
        }
    }

    /// The same with the name in brackets behind, where that is another.
    pub fn labelled_with_name(&self, text: &str) -> String {
        let label = self.labelled(text);
        let name = self.named(text).or_else(|| self.named(text.rsplit_once([':', '#'])?.0));
        match name.filter(|_| label != text) {
            Some(node) => format!("{label} ({})", self.name_of(node)),
            None => label,
        }
    }

    /// A sentence of a result as people read it: each word that names a node or a port as [`Network::labelled`] has it.
    pub fn labelled_words(&self, sentence: &str) -> String {
        sentence.split(' ').map(|word| self.labelled(word)).collect::<Vec<_>>().join(" ")
    }

    /// All nodes, the switches first and then the hosts.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node> {
        self.switch_ids().map(Node::Switch).chain(self.host_ids().map(Node::Host))
    }

    /// The description of a node that no other node could be meant by.
    fn own_description(&self, node: Node) -> Option<&str> {
        let description = self.description_of(node).filter(|text| !text.trim().is_empty())?;
        let is_own = self.described(description) == Some(node);
        let is_free = self.named(description).is_none_or(|other| other == node);
        (is_own && is_free).then_some(description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Host, Switch};
    use simnet_base::ids::{HostId, SwitchId};

    /// A switch, and hosts of these names and descriptions.
    fn network(hosts: &[(&str, &str)]) -> Network {
        let mut network = Network::new("labels");
        let description = Some("spine 1".to_owned());
        let switch = Switch { name: "S-1".into(), ports: 8, first_port: 1, guid: Some(1), description };
        network.push_switch(switch).unwrap();
        for (name, text) in hosts {
            let description = Some((*text).to_owned());
            let host = Host { name: (*name).into(), ports: 1, first_port: 1, guid: None, description };
            network.push_host(host).unwrap();
        }
        network
    }

    /// Wrong if two nodes were called alike, or one by a text that another is named by in files.
    #[test]
    fn a_label_means_one_node() {
        let network = network(&[
            ("H-1", "node01 mlx5_0"),
            ("H-2", "MT4123 ConnectX6"),
            ("H-3", "MT4123 ConnectX6"),
            ("H-4", "H-1"),
            ("H-5", " "),
            ("H-6", "H-6"),
        ]);
        assert_eq!(network.labels(), ["spine 1", "node01 mlx5_0", "H-2", "H-3", "H-4", "H-5", "H-6"]);
        assert!(network.has_labels() && network.is_renamed(Node::Switch(SwitchId(0))));
        assert!(!network.is_renamed(Node::Host(HostId(1))));
    }

    /// Wrong if a port or a message were shown under its node's id, or a text that is none of these were changed.
    #[test]
    fn ports_and_messages_are_labelled() {
        let network = network(&[("H-1", "node01: mlx5_0"), ("a:1", "")]);
        let cases = [
            ("S-1", "spine 1", "spine 1 (S-1)"),
            ("S-1:3", "spine 1:3", "spine 1:3 (S-1)"),
            ("S-1:3/2", "spine 1:3/2", "spine 1:3/2 (S-1)"),
            ("H-1#12", "node01: mlx5_0#12", "node01: mlx5_0#12 (H-1)"),
            ("a:1", "a:1", "a:1"),
            ("a:1:0", "a:1:0", "a:1:0"),
            ("S-1:x", "S-1:x", "S-1:x"),
            ("S-2:3", "S-2:3", "S-2:3"),
            ("", "", ""),
        ];
        for (text, label, both) in cases {
            assert_eq!(
                (network.labelled(text).as_str(), network.labelled_with_name(text).as_str()),
                (label, both)
            );
        }
        assert_eq!(
            network.labelled_words("cable S-1:3 - H-1:1 fails"),
            "cable spine 1:3 - node01: mlx5_0:1 fails"
        );
        assert_eq!(network.port_label(End::switch(SwitchId(0), 3)), "spine 1:3");
    }
}
