// Highlights comments, strings and keywords with regular expressions.
// Unrecognized syntax may get the wrong color, but the text never changes.
import { type Html, html, type Renderable } from './html.ts';

const DOUBLE = String.raw`"(?:\\.|[^"\\\n])*"`;
const SINGLE = String.raw`'(?:\\.|[^'\\\n])*'`;
const BACKTICKS = String.raw`\x60(?:\\.|[^\x60\\])*\x60`;
const SLASHES = String.raw`\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/`;
/** `#` starts a comment only after whitespace because URLs and shell variables may contain `#`. */
const HASH = String.raw`(?<!\S)#[^\n]*`;
const keywords = (list: string) => String.raw`(?<![\w.$-])(?:${list.replaceAll(' ', '|')})(?![\w-])`;

interface Grammar {
  comment: string;
  text: string;
  word: string;
}

/** One keyword list serves all languages because few keywords of one language are identifiers in another. */
const code = (comment: string): Grammar => ({
  comment,
  text: `"""[^]*?"""|${DOUBLE}|${SINGLE}|${BACKTICKS}`,
  word: `<\\?php|@\\w+|${keywords(
    'new return if else elif elsif unless for range while do end switch case break try except catch raise throw finally ' +
      'with defer import from as export default package namespace require use using module class struct interface ' +
      'def fun func function lambda const let val var guard override abstract type final static public private void async await of in is not and or ' +
      'map echo isset unset exit typeof this null nil None true True false False undefined',
  )}`,
});

const GRAMMARS = {
  js: code(SLASHES),
  python: code(HASH),
  go: code(SLASHES),
  php: code(SLASHES),
  java: code(SLASHES),
  swift: code(SLASHES),
  kotlin: code(SLASHES),
  csharp: code(SLASHES),
  ruby: code(HASH),
  sh: {
    comment: HASH,
    text: String.raw`"(?:\\[^]|[^"\\])*"|'[^']*'`,
    word: keywords('export if then else fi for do done exit curl openssl npm pip go composer dotnet'),
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

export function highlight(text: string, language: CodeLanguage): Renderable {
  if (language === 'plain') return text;
  const { comment, text: string, word } = GRAMMARS[language];
  const tokens = new RegExp(`(${comment})|(${string})|(${word})`, 'gm');
  const pieces: (Html | string)[] = [];
  let position = 0;
  for (const match of text.matchAll(tokens)) {
    const [token, commentToken, stringToken] = match;
    pieces.push(text.slice(position, match.index));
    const kind = commentToken === undefined ? (stringToken === undefined ? 'w' : 't') : 'c';
    // Class names are short because a page can have hundreds of tokens.
    pieces.push(html`<i class="${kind}">${token}</i>`);
    position = match.index + token.length;
  }
  return [...pieces, text.slice(position)];
}
