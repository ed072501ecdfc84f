// Highlights comments, strings and keywords with regular expressions.
// Unrecognized syntax may get the wrong color, but the text never changes.
import { type Html, html, type Renderable } from './html.ts';

const DOUBLE_QUOTED = String.raw`"(?:\\.|[^"\\\n])*"`;
const SINGLE_QUOTED = String.raw`'(?:\\.|[^'\\\n])*'`;
const BACKTICKS = String.raw`\x60(?:\\.|[^\x60\\])*\x60`;
const SLASH_COMMENTS = String.raw`\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/`;
/** `#` starts a comment only after whitespace because URLs and shell variables may contain `#`. */
const HASH_COMMENT = String.raw`(?<!\S)#[^\n]*`;
const keywords = (list: string) => String.raw`(?<![\w.$-])(?:${list.replaceAll(' ', '|')})(?![\w-])`;

interface Grammar {
  comment: string;
  text: string;
  word: string;
}

/** One keyword list serves all languages because few keywords of one language are identifiers in another. */
const code = (comment: string): Grammar => ({
  comment,
  text: `"""[^]*?"""|${DOUBLE_QUOTED}|${SINGLE_QUOTED}|${BACKTICKS}`,
  word: `<\\?php|@\\w+|${keywords(
    'new return if else elif elsif unless for range while do end switch case break try except catch raise throw finally ' +
      'with defer import from as export default package namespace require use using module class struct interface ' +
      'def fun func function lambda const let val var guard override abstract type final static public private void async await of in is not and or ' +
      'map echo isset unset exit typeof this null nil None true True false False undefined',
  )}`,
});

const GRAMMARS = {
  js: code(SLASH_COMMENTS),
  python: code(HASH_COMMENT),
  go: code(SLASH_COMMENTS),
  php: code(SLASH_COMMENTS),
  java: code(SLASH_COMMENTS),
  swift: code(SLASH_COMMENTS),
  kotlin: code(SLASH_COMMENTS),
  csharp: code(SLASH_COMMENTS),
  ruby: code(HASH_COMMENT),
  sh: {
    comment: HASH_COMMENT,
    text: String.raw`"(?:\\[^]|[^"\\])*"|'[^']*'`,
    word: keywords('export if then else fi for do done exit curl openssl npm pip go composer dotnet'),
  },
  yaml: {
    comment: HASH_COMMENT,
    text: `${DOUBLE_QUOTED}|${SINGLE_QUOTED}`,
    word: String.raw`(?<=^[ -]*)[\w.-]+(?=:)`,
  },
  apache: {
    comment: HASH_COMMENT,
    text: `${DOUBLE_QUOTED}|${SINGLE_QUOTED}`,
    word: String.raw`(?<=^[ \t]*)<?\/?[A-Z]\w+>?`,
  },
  env: { comment: HASH_COMMENT, text: `${DOUBLE_QUOTED}|${SINGLE_QUOTED}`, word: String.raw`(?<=^)\w+(?==)` },
  css: {
    comment: String.raw`\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/`,
    text: DOUBLE_QUOTED,
    word: String.raw`[\w-]+(?=:\s)`,
  },
  html: { comment: '<!--[^]*?-->', text: DOUBLE_QUOTED, word: String.raw`<!?\/?[a-z][\w-]*|(?<=[\w"])>` },
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
