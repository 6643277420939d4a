//! The memory server: the Model Context Protocol on standard input and output, one line a message.
//!
//! A third door beside `hook` and `cli`. It answers one request after the other; it ends when the
//! client has left, or when a signal asks it to, and writes the store's log back then.

mod arguments;
mod caller;
mod home;
mod judge;
mod keeper;
mod message;
mod reads;
mod server;
mod tools;
mod words;
mod writes;

use std::sync::{Arc, Mutex, PoisonError};

use crate::facts::Named;
use crate::sys::lines::{self, Line, Lines};
use crate::sys::signals;

use home::Home;
use keeper::Keeper;
use message::Fault;
use server::Server;

/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 32 << 20;

/// Serves the client on standard input and output until it leaves.
///
/// # Errors
/// One sentence, before anything is read.
pub(crate) fn serve(named: Named) -> Result<(), String> {
    let home = Home::find(named)?;
    let keeper = Arc::new(Mutex::new(Keeper::new(home.store.clone())));
    let last = Arc::clone(&keeper);
    // A change that is being made is finished first: the lock is held while it is.
    signals::on_ending(move || last.lock().unwrap_or_else(PoisonError::into_inner).close())
        .map_err(|error| format!("no thread can be started: {error}"))?;
    let mut server = Server::new(home, Arc::clone(&keeper));
    let mut lines = Lines::new(LONGEST_LINE);
    while let Some(line) = lines.next(&mut |line| server.arrives(line)) {
        let answer = match line {
            Line::Text(bytes) => server.answer(&bytes),
            Line::TooLong => {
                let what = format!("the line is longer than {LONGEST_LINE} bytes");
                Some(message::failure(None, &Fault::request(&what)))
            }
        };
        if answer.is_some_and(|answer| lines::write_line(&answer).is_err()) {
            break;
        }
    }
    keeper.lock().unwrap_or_else(PoisonError::into_inner).close();
    Ok(())
}
