// Owns the colours of code on pages: comments, texts, and the words of a language. It looks at one token after the other
// and no deeper: what it takes for something else is coloured wrongly, and reads and copies the same.
import { type Html, html, type Renderable } from './html.ts';

const DOUBLE = String.raw`"(?:\\.|[^"\\\n])*"`;
const SINGLE = String.raw`'(?:\\.|[^'\\\n])*'`;
const BACKTICKS = String.raw`\x60(?:\\.|[^\x60\\])*\x60`;
const SLASHES = String.raw`\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/`;
/** Not within a word: addresses and shells have it there. */
const HASH = String.raw`(?<!\S)#[^\n]*`;
const words = (list: string) => String.raw`(?<![\w.$-])(?:${list.replaceAll(' ', '|')})(?![\w-])`;

interface Grammar {
  comment: string;
  text: string;
  word: string;
}

const C_LIKE = 'new return if else for while switch case break try catch throw finally this null true false';

const GRAMMARS = {
  js: {
    comment: SLASHES,
    text: `${DOUBLE}|${SINGLE}|${BACKTICKS}`,
    word: words(
      `${C_LIKE} import export from default const let var function async await of in typeof class undefined`,
    ),
  },
  python: {
    comment: HASH,
    text: `"""[^]*?"""|${DOUBLE}|${SINGLE}`,
    word: words(
      'import from as def class return if elif else for while in not and or is try except raise finally with lambda None True False',
    ),
  },
  go: {
    comment: SLASHES,
    text: `${DOUBLE}|${BACKTICKS}|${SINGLE}`,
    word: words(
      'package import func var const type struct map return if else for range switch case defer go nil true false',
    ),
  },
  php: {
    comment: SLASHES,
    text: `${DOUBLE}|${SINGLE}`,
    word: `<\\?php|${words(`${C_LIKE} require use namespace function echo isset unset exit`)}`,
  },
  java: {
    comment: SLASHES,
    text: DOUBLE,
    word: `@\\w+|${words(`${C_LIKE} import package class public private static final void var`)}`,
  },
  csharp: {
    comment: SLASHES,
    text: DOUBLE,
    word: words(`${C_LIKE} using var async await is not string`),
  },
  ruby: {
    comment: HASH,
    text: `${DOUBLE}|${SINGLE}`,
    word: words('do end def class module if else elsif unless return nil true false require'),
  },
  sh: {
    comment: HASH,
    text: String.raw`"(?:\\[^]|[^"\\])*"|'[^']*'`,
    word: words('export if then else fi for do done exit curl openssl npm pip go composer dotnet'),
  },
  yaml: { comment: HASH, text: `${DOUBLE}|${SINGLE}`, word: String.raw`(?<=^[ -]*)[\w.-]+(?=:)` },
  apache: { comment: HASH, text: `${DOUBLE}|${SINGLE}`, word: String.raw`(?<=^[ \t]*)<?\/?[A-Z]\w+>?` },
  env: { comment: HASH, text: `${DOUBLE}|${SINGLE}`, word: String.raw`(?<=^)\w+(?==)` },
  css: {
    comment: String.raw`\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/`,
    text: DOUBLE,
    word: String.raw`[\w-]+(?=:\s)`,
  },
  html: { comment: '<!--[^]*?-->', text: DOUBLE, word: String.raw`<!?\/?[a-z][\w-]*|(?<=[\w"])>` },
} as const satisfies Record<string, Grammar>;

export type CodeLanguage = keyof typeof GRAMMARS | 'plain';

/** A text with its tokens marked up; its characters stay as they are. */
export function highlighted(text: string, language: CodeLanguage): Renderable {
  if (language === 'plain') return text;
  const { comment, text: quoted, word } = GRAMMARS[language];
  const token = new RegExp(`(${comment})|(${quoted})|(${word})`, 'gm');
  const pieces: (Html | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(token)) {
    const [found, isComment, isText] = match;
    pieces.push(text.slice(at, match.index));
    const kind = isComment === undefined ? (isText === undefined ? 'w' : 't') : 'c';
    pieces.push(html`<i class="${kind}">${found}</i>`); // by the hundred: their names are short
    at = match.index + found.length;
  }
  return [...pieces, text.slice(at)];
}
