// The messages of PostgreSQL's extended query protocol that statements are sent with, many in one piece.

/** A statement's parameter as it is sent: bytes, or anything else as text. */
export type Value = string | Buffer | null;

/** Puts a parameter into the form in which it is sent. @throws TypeError or RangeError for what has none */
export function asValue(given: unknown): Value {
  if (given === null || given === undefined) return null;
  if (typeof given === 'string' || Buffer.isBuffer(given)) return given;
  if (given instanceof Date) return given.toISOString();
  if (Array.isArray(given)) return `{${given.map(asElement).join(',')}}`;
  if (typeof given === 'object') throw new TypeError('no parameter of a statement');
  return String(given);
}

function asElement(one: unknown): string {
  if (Buffer.isBuffer(one)) return `"\\\\x${one.toString('hex')}"`;
  if (typeof one === 'object' || one === undefined) throw new TypeError('no element of an array');
  return `"${String(one).replace(/["\\]/g, '\\$&')}"`;
}

const PARSE = 0x50;
const BIND = 0x42;
const CLOSE = 0x43;
/** Whose messages need no more than their fixed bytes: of the unnamed portal, with all its rows. */
const DESCRIBE = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

const TEXT = 0;
const BINARY = 1;
/** In place of a value's length. */
const NULL = -1;

// One buffer for all of them: nothing is written between the first message of a batch and `taken`.
const USUAL = 64 * 1024;
let buffer = Buffer.allocUnsafe(USUAL);
let length = 0;

/** Prepares a statement under a name, in place of what may be there under it; '' is the name that the next one takes. */
export function writeParse(name: string, text: string): void {
  if (name !== '') {
    const start = begin(CLOSE);
    byte(0x53);
    zeroTerminated(name);
    end(start);
  }
  const start = begin(PARSE);
  zeroTerminated(name);
  zeroTerminated(text);
  int16(0); // the casts in the text say all types
  end(start);
}

/** Binds a prepared statement to the unnamed portal. Its rows come as text. */
export function writeBind(name: string, values: readonly Value[]): void {
  const start = begin(BIND);
  zeroTerminated('');
  zeroTerminated(name);
  int16(values.length);
  for (const value of values) int16(typeof value === 'object' ? BINARY : TEXT);
  int16(values.length);
  for (const value of values) parameter(value);
  int16(0);
  end(start);
}

/** Asks what columns the rows of the portal will have. */
export const writeDescribe = (): void => bytes(DESCRIBE);

export const writeExecute = (): void => bytes(EXECUTE);

/** Ends a transaction. */
export const writeSync = (): void => bytes(SYNC);

/** All that has been written, which begins anew. */
export function taken(): Buffer {
  const piece = Buffer.from(buffer.subarray(0, length));
  length = 0;
  if (buffer.length > USUAL) buffer = Buffer.allocUnsafe(USUAL); // one large batch is not kept for ever
  return piece;
}

function parameter(value: Value): void {
  const start = length;
  int32(NULL);
  if (value === null) return;
  if (typeof value === 'string') characters(value);
  else bytes(value);
  buffer.writeInt32BE(length - start - 4, start);
}

function begin(code: number): number {
  byte(code);
  int32(0);
  return length - 4;
}

/** A message says its own length, without its code. */
function end(start: number): void {
  buffer.writeInt32BE(length - start, start);
}

function byte(value: number): void {
  room(1);
  buffer[length] = value;
  length += 1;
}

function int16(value: number): void {
  room(2);
  length = buffer.writeInt16BE(value, length);
}

function int32(value: number): void {
  room(4);
  length = buffer.writeInt32BE(value, length);
}

function bytes(value: Uint8Array): void {
  room(value.length);
  buffer.set(value, length);
  length += value.length;
}

function characters(value: string): void {
  room(value.length * 3); // UTF-8 takes no more for a UTF-16 unit
  length += buffer.write(value, length);
}

function zeroTerminated(value: string): void {
  characters(value);
  byte(0);
}

function room(more: number): void {
  if (length + more <= buffer.length) return;
  const larger = Buffer.allocUnsafe(2 * (length + more));
  larger.set(buffer.subarray(0, length));
  buffer = larger;
}
