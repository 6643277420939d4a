//! The client's plugin: whether it is enabled, and whether its entries can be read.

use super::Row;
use crate::wiring::plugin::Plugin;

/// A row for each installation. `registered`: something asks us already, the plugin or a settings file.
pub(super) fn rows(plugins: &[Plugin], registered: bool) -> Vec<Row> {
    plugins.iter().map(|plugin| row(plugin, registered)).collect()
}

fn row(plugin: &Plugin, registered: bool) -> Row {
    let Plugin { id, hooks, .. } = plugin;
    if !plugin.enabled {
        let by = plugin.decided_by.as_ref();
        let by = by.map_or_else(String::new, |path| format!(" by {}", path.display()));
        let said = format!("{id} is installed, but not enabled{by}");
        // With an entry in the settings it is not needed.
        return if registered && plugin.decided_by.is_none() {
            Row::pass("plugin", said)
        } else {
            Row::warn("plugin", said, format!("claude plugin enable {id}"))
        };
    }
    match &plugin.fault {
        Some(fault) => {
            let said = format!("{id} is enabled, but has no entries: {fault}");
            Row::fail("plugin", said, format!("claude plugin update {id}"))
        }
        None => Row::pass("plugin", format!("{id} is enabled, with {}", hooks.display())),
    }
}
