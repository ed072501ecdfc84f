// Splits a file into lines of bounded length.
import { isUtf8 } from 'node:buffer';
import { isObject, parseJson, parseJsonObject } from '../oauth/parse-json.ts';
import { assertFormat } from './assert-format.ts';
import { type RefusalCode, remark } from './row-remark.ts';
import { type Convert, MAX_ROW_SIZE, type SourceFormat, type SourceRow } from './source.ts';

const LINE_FEED = 0x0a;

/**
 * Yields lines without their terminators and the byte order mark. Blank lines are skipped, but counted. `node:readline`
 * isn't used, because it would hold a line of any length in memory.
 */
async function* readLines(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ row: number; text: string | RefusalCode; refused: boolean }> {
  let row = 0;
  let parts: Buffer[] = [];
  let size = 0;
  const append = (part: Buffer) => {
    size += part.length;
    if (size <= MAX_ROW_SIZE) parts.push(part);
  };
  const finish = () => {
    row += 1;
    const line =
      size > MAX_ROW_SIZE
        ? ({ refused: true, text: 'too_long' } as const)
        : decode(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
    [parts, size] = [[], 0];
    return { row, ...line };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      append(chunk.subarray(start, end));
      start = end + 1;
      const line = finish();
      if (line.text !== '') yield line;
    }
    append(Buffer.from(chunk.subarray(start))); // copied, because the next chunk overwrites this one
  }
  const last = finish();
  if (last.text !== '') yield last;

  function decode(bytes: Buffer): { refused: boolean; text: string } {
    if (!isUtf8(bytes)) return { refused: true, text: 'not_utf8' };
    const text = bytes.toString();
    return { refused: false, text: (row === 1 ? text.replace(/^\uFEFF/, '') : text).trim() };
  }
}

/**
 * Reads one JSON object per line, and converts it.
 * @throws UnreadableFileError if `format` is given and a line has another format
 */
export async function* readJsonLines(
  chunks: AsyncIterable<Buffer>,
  convert: Convert,
  format?: SourceFormat,
): AsyncGenerator<SourceRow> {
  for await (const { row, text, refused } of readLines(chunks)) {
    const value = refused ? undefined : parseJson(text);
    if (format !== undefined) assertFormat(format, isObject(value) ? value : parseMember(text));
    if (isObject(value)) yield { row, ...convert(value) };
    else yield { row, refusals: [remark(refused ? (text as RefusalCode) : 'not_json')] };
  }
}

/** Parses a line of an indented JSON document, such as `"realm": "acme",`. */
const parseMember = (line: string): Record<string, unknown> =>
  parseJsonObject(`{${line.replace(/,$/, '')}}`) ?? {};
