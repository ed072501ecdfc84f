// Validates HTML pages and extracts their content.

const TOKEN =
  /<!doctype html>|<(?<closing>\/?)(?<name>[a-zA-Z][\w-]*)(?<attributes>(?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(?<empty>\/?)>/g;
const ATTRIBUTE = /([\w:-]+)(?:="([^"]*)")?/g;
const VOID_ELEMENTS = new Set(['meta', 'link', 'img', 'input', 'br', 'hr', 'source', 'wbr']);

interface Element {
  name: string;
  attributes: Record<string, string>;
}

/** Finds HTML errors, including unclosed elements, unquoted attributes, and inline styles and scripts. */
export function findMarkupErrors(page: string): string[] {
  const errors: string[] = [];
  const openElements: string[] = [];
  if (!page.startsWith('<!doctype html>\n<html lang="')) errors.push('no doctype and lang at the start');
  for (const { groups } of page.matchAll(TOKEN)) {
    if (groups?.name === undefined) continue;
    if (groups.closing === '') {
      if (!VOID_ELEMENTS.has(groups.name) && groups.empty === '') openElements.push(groups.name);
    } else if (openElements.pop() !== groups.name) errors.push(`</${groups.name}> closes another element`);
  }
  if (openElements.length > 0) errors.push(`not closed: ${openElements.join(' ')}`);
  const text = page.replace(TOKEN, '');
  if (/[<>]/.test(text)) errors.push(`not a tag: ${/.{0,40}[<>].{0,40}/.exec(text)?.[0]}`);
  if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(page)) errors.push('unescaped ampersand');
  if (!/<title>[^<]{3,}<\/title>/.test(page)) errors.push('no title');
  if (/<title>(Erreur|Error)\b/.test(page) && readFormErrors(page).length === 0)
    errors.push('an error title without an error message');
  return [...errors, ...findReferenceErrors(parseElements(page)), ...findInlineErrors(parseElements(page))];
}

function findReferenceErrors(elements: Element[]): string[] {
  const ids = elements.flatMap(({ attributes }) => (attributes.id === undefined ? [] : [attributes.id]));
  const references = elements.flatMap(({ attributes: { href = '', ...attributes } }) => [
    ...(href.startsWith('#') ? [href.slice(1)] : []),
    ...(attributes.for === undefined ? [] : [attributes.for]),
    ...(attributes['aria-describedby'] ?? '').split(' '),
    ...(attributes['aria-labelledby'] ?? '').split(' '),
  ]);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `duplicate id ${id}`),
    ...references.filter((id) => id !== '' && !ids.includes(id)).map((id) => `no element has the id ${id}`),
  ];
}

function findInlineErrors(elements: Element[]): string[] {
  return elements.flatMap(({ name, attributes }) => [
    ...(name === 'style' || (name === 'script' && !/^\/[a-z-]+\.js$/.test(attributes.src ?? ''))
      ? [`<${name}>`]
      : []),
    ...Object.keys(attributes)
      .filter((attribute) => attribute === 'style' || attribute.startsWith('on'))
      .map((attribute) => `${name} ${attribute}="…"`),
    ...Object.values(attributes)
      .filter((value) => /^\s*javascript:/i.test(value))
      .map((value) => `${name} ${value}`),
  ]);
}

/** Attributes without a value are ''. */
export function parseElements(page: string): Element[] {
  return [...page.matchAll(TOKEN)].flatMap(({ groups }) =>
    groups?.name === undefined || groups.closing !== ''
      ? []
      : [
          {
            name: groups.name,
            attributes: Object.fromEntries(
              [...(groups.attributes ?? '').matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [
                name,
                unescapeHtml(value),
              ]),
            ),
          },
        ],
  );
}

export const listUrls = (page: string): string[] =>
  parseElements(page).flatMap(({ attributes: { href, action, src } }) =>
    [href, action, src].filter((url) => url !== undefined),
  );

export const readMain = (page: string): string => page.slice(page.indexOf('<main'), page.indexOf('</main>'));

export const findInput = (page: string, name: string): Record<string, string> | undefined =>
  parseElements(page).find((element) => element.name === 'input' && element.attributes.name === name)
    ?.attributes;

export function readFieldError(page: string, name: string): string | undefined {
  const text = new RegExp(`<p class="field-error" id="${name}-error">(.*?)</p>`).exec(page)?.[1];
  return text === undefined ? undefined : readText(text);
}

/** Returns form errors, then field errors. Throws if the summary doesn't link to each invalid field. */
export function readFormErrors(page: string): string[] {
  const summary = /<div class="error-summary"[\s\S]*?<\/div>/.exec(page)?.[0];
  const items = [...(summary ?? '').matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = '']) => item);
  const fields = [...page.matchAll(/<p class="field-error" id="([^"]*?)(?:-error)?"/g)].map(([, id]) => id);
  const findField = (item: string) => fields.find((field) => item.startsWith(`<a href="#${field}"`));
  const ofForm = items.filter((item) => findField(item) === undefined);
  const linked = items.map(findField).filter((field) => field !== undefined);
  if (`${linked}` !== `${fields}` && (summary !== undefined || fields.length > 1))
    throw new Error(`The error summary links to ${linked} instead of ${fields}`);
  const ofFields = [...page.matchAll(/<p class="field-error" id=[^>]*>(.*?)<\/p>/gs)].flatMap(
    ([, item = '']) => item.split('<br>'),
  );
  return [...ofForm, ...ofFields].map(readText);
}

export const readText = (page: string): string =>
  unescapeHtml(page.replace(/<[^>]*>/g, '')).replace(/\s+/g, ' ');

export const listForms = (page: string, opening = /<form\b/): string[] =>
  (page.match(/<form\b[\s\S]*?<\/form>/g) ?? []).filter((form) => opening.test(form));

export const readTitle = (page: string): string => /<title>(.*) – Sésame<\/title>/.exec(page)?.[1] ?? '';

/** Keeps line breaks. */
export function readCodeBlock(page: string, id: string): string {
  const code = new RegExp(`<code id="${id}">([^]*?)</code>`).exec(page)?.[1];
  if (code === undefined) throw new Error(`the page has no code element ${id}`);
  return unescapeHtml(code.replace(/<[^>]*>/g, ''));
}

export const readHeading = (page: string): string =>
  unescapeHtml((/<h1>([\s\S]*?)<\/h1>/.exec(page)?.[1] ?? '').replace(/<[^>]*>/g, ''));

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

export const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
