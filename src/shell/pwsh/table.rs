//! Hash tables: `@{ key = value }`.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;

use super::cursor::Cursor;
use super::expression::{deeper, operand};
use super::statement;
use super::value::Value;

/// `@{ key = value; … }`.
pub(super) fn table(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) -> Value {
    let mut cursor = Cursor::new(text);
    let mut pairs = Vec::new();
    while !cursor.done() && reader.spend(1) && pairs.len() < 256 {
        cursor.gap();
        if cursor.take(';') {
            continue;
        }
        let before = cursor.at;
        let key = operand(reader, &mut cursor, scope).and_then(|key| key.literal());
        cursor.blanks();
        if cursor.take('=') {
            cursor.gap();
            let value = deeper(reader, &mut cursor, scope, statement::chain);
            // A block in a table (`@{ n = 'x'; e = { … } }`) is run by whoever gets the table.
            if let Value::Block(text) = &value {
                super::inside(reader, "@{…}", text, scope);
            }
            pairs.push((key.unwrap_or_default(), value.joined(" ")));
        }
        if cursor.at == before {
            cursor.bump();
        }
    }
    Value::Table(pairs)
}
