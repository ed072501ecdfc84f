// Splits a JSON object of any size into its members and the elements of its arrays.
// This module scans only strings and brackets. JSON.parse then checks every part.
import { isUtf8 } from 'node:buffer';
import { parseJsonObject } from '../oauth/parse-json.ts';
import { UnreadableFileError } from './source.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACE, END_BRACE, BRACKET, END_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK = '\uFEFF';

/** A member that isn't an array, or an element of an array. */
export interface Part {
  name: string;
  /** Undefined if the part is too long or not UTF-8. */
  value: unknown;
  refused?: 'too_long' | 'not_utf8';
}

/**
 * @param maxLength maximum length of a part in bytes, by the member's name. Longer parts aren't parsed.
 * @throws UnreadableFileError if the file isn't a JSON object
 */
export async function* readMembers(
  chunks: AsyncIterable<Buffer>,
  maxLength: (name: string) => number,
): AsyncGenerator<Part> {
  let position = 0;
  let [depth, inString, escaped, ended] = [0, false, false, false];
  let list: { name: string; elements: number } | undefined;
  /** Whether an array has just ended. Only a comma or closing brace may follow. */
  let afterList = false;
  let members = 0;
  let buffers: Buffer[] = [];
  let size = 0;
  const createError = (code: UnreadableFileError['code'] = 'json_malformed') =>
    new UnreadableFileError(code, String(position));
  const append = (buffer: Buffer) => {
    size += buffer.length;
    if (size <= maxLength(list?.name ?? '')) buffers.push(buffer);
  };
  const takeBytes = () => {
    const bytes = Buffer.concat(buffers);
    const taken = { bytes, tooLong: bytes.length < size };
    [buffers, size] = [[], 0];
    return taken;
  };
  const isBlank = (bytes: Buffer) => bytes.length === 0 || bytes.toString().trim() === '';

  /** Parses the bytes since the last comma. */
  function finishPart(isLast: boolean): Part | undefined {
    const { bytes, tooLong } = takeBytes();
    const blank = !tooLong && isBlank(bytes);
    const name = list?.name;
    if (name === undefined && afterList) {
      if (!blank) throw createError();
      afterList = false;
      return undefined;
    }
    if (blank && isLast && (list?.elements ?? members) === 0) return undefined;
    if (list !== undefined) list.elements += 1;
    else members += 1;
    if (tooLong) return { name: name ?? '', value: undefined, refused: 'too_long' };
    if (!isUtf8(bytes)) return { name: name ?? '', value: undefined, refused: 'not_utf8' };
    const text = bytes.toString();
    const parsed = parseJsonObject(name === undefined ? `{${text}}` : `{"":${text}}`);
    const [entry, another] = Object.entries(parsed ?? {});
    if (entry === undefined || another !== undefined) throw createError();
    return { name: name ?? entry[0], value: entry[1] };
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        continue;
      }
      if (byte === QUOTE) inString = true;
      const base = list === undefined ? 1 : 2;
      if (byte === BRACE || byte === BRACKET) {
        if (depth === 0) {
          append(chunk.subarray(start, index));
          start = index + 1;
          if (
            byte === BRACKET ||
            ended ||
            takeBytes().bytes.toString().replace(BYTE_ORDER_MARK, '').trim() !== ''
          )
            throw createError('json_not_object');
          depth = 1;
        } else if (depth === 1 && byte === BRACKET && list === undefined) {
          append(chunk.subarray(start, index));
          start = index + 1;
          if (afterList) throw createError();
          const [name, another] = Object.keys(parseJsonObject(`{${takeBytes().bytes}0}`) ?? {});
          if (name === undefined || another !== undefined) throw createError();
          list = { name, elements: 0 };
          members += 1;
          depth = 2;
        } else depth += 1;
      } else if ((byte === END_BRACE || byte === END_BRACKET) && depth > base) depth -= 1;
      else if (byte === END_BRACE || byte === END_BRACKET || (byte === COMMA && depth === base)) {
        if (depth === 0 || (byte !== COMMA && (byte === END_BRACKET) !== (list !== undefined)))
          throw createError();
        append(chunk.subarray(start, index));
        start = index + 1;
        const part = finishPart(byte !== COMMA);
        if (part !== undefined) yield part;
        if (byte === END_BRACKET) [list, afterList, depth] = [undefined, true, 1];
        if (byte === END_BRACE) [ended, depth] = [true, 0];
      }
    }
    append(Buffer.from(chunk.subarray(start))); // copied because the next chunk overwrites this one
    position += chunk.length;
  }
  if (!ended) throw createError('json_incomplete');
  if (!isBlank(takeBytes().bytes)) throw createError();
}
