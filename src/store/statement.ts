// A statement as it is sent: its text, and the name under which a connection prepares it.

/** A prepared statement: PostgreSQL parses and plans it once per connection, under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** A statement by name. PostgreSQL copies the text at every execution: what makes it readable here stays here. */
export const statement = (name: string, text: string): Statement => ({
  name,
  text: text.replace(/\s+/g, ' '),
});
