// Colours code on pages: comments, strings and keywords. It looks at one token after the other and no deeper: what it
// takes for something else is coloured wrongly, and reads and copies the same.
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

/** The words of all languages together: few of them are names in another one. */
const code = (comment: string): Grammar => ({
  comment,
  text: `"""[^]*?"""|${DOUBLE}|${SINGLE}|${BACKTICKS}`,
  word: `<\\?php|@\\w+|${words(
    'new return if else elif elsif unless for range while do end switch case break try except catch raise throw finally ' +
      'with defer import from as export default package namespace require use using module class struct interface ' +
      'def func function lambda const let var type final static public private void async await of in is not and or ' +
      'map echo isset unset exit typeof this null nil None true True false False undefined',
  )}`,
});

const GRAMMARS = {
  js: code(SLASHES),
  python: code(HASH),
  go: code(SLASHES),
  php: code(SLASHES),
  java: code(SLASHES),
  csharp: code(SLASHES),
  ruby: code(HASH),
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
