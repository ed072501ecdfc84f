// Reads pages as tests need them: whether they are well-formed, their links, fields and faults.

const TOKEN =
  /<!doctype html>|<(?<closing>\/?)(?<name>[a-zA-Z][\w-]*)(?<attributes>(?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(?<empty>\/?)>/g;
const ATTRIBUTE = /([\w:-]+)(?:="([^"]*)")?/g;
const VOID = new Set(['meta', 'link', 'img', 'input', 'br', 'hr', 'source']);

interface Element {
  name: string;
  attributes: Record<string, string>;
}

/**
 * What is wrong with a page's markup, a line each; empty when nothing is. Stricter than HTML itself: every element is
 * closed, every attribute quoted, every id unique and every reference to one answered; nothing is inline.
 */
export function markupFaults(page: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  if (!page.startsWith('<!doctype html>\n<html lang="')) faults.push('no doctype and lang at the beginning');
  for (const { groups } of page.matchAll(TOKEN)) {
    if (groups?.name === undefined) continue;
    if (groups.closing === '') {
      if (!VOID.has(groups.name) && groups.empty === '') open.push(groups.name);
    } else if (open.pop() !== groups.name) faults.push(`</${groups.name}> closes something else`);
  }
  if (open.length > 0) faults.push(`left open: ${open.join(' ')}`);
  const text = page.replace(TOKEN, '');
  if (/[<>]/.test(text)) faults.push(`not a tag: ${/.{0,40}[<>].{0,40}/.exec(text)?.[0]}`);
  if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(page)) faults.push('a bare ampersand');
  if (!/<title>[^<]{3,}<\/title>/.test(page)) faults.push('no title');
  if (/<title>(Erreur|Error)\b/.test(page) && formErrors(page).length === 0)
    faults.push('an error that is not shown');
  return [...faults, ...referenceFaults(elementsOf(page)), ...inlineFaults(elementsOf(page))];
}

function referenceFaults(elements: Element[]): string[] {
  const ids = elements.flatMap(({ attributes }) => (attributes.id === undefined ? [] : [attributes.id]));
  const references = elements.flatMap(({ attributes: { href = '', ...attributes } }) => [
    ...(href.startsWith('#') ? [href.slice(1)] : []),
    ...(attributes.for === undefined ? [] : [attributes.for]),
    ...(attributes['aria-describedby'] ?? '').split(' '),
    ...(attributes['aria-labelledby'] ?? '').split(' '),
  ]);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `id ${id} twice`),
    ...references.filter((id) => id !== '' && !ids.includes(id)).map((id) => `nothing has the id ${id}`),
  ];
}

function inlineFaults(elements: Element[]): string[] {
  return elements.flatMap(({ name, attributes }) => [
    // A script is a module of our own, by its address; nothing is inline.
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

/** All elements of a page in order, their attributes unescaped; an attribute without a value is ''. */
export function elementsOf(page: string): Element[] {
  return [...page.matchAll(TOKEN)].flatMap(({ groups }) =>
    groups?.name === undefined || groups.closing !== ''
      ? []
      : [
          {
            name: groups.name,
            attributes: Object.fromEntries(
              [...(groups.attributes ?? '').matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [
                name,
                plain(value),
              ]),
            ),
          },
        ],
  );
}

/** Every address that a page leads to or fetches from: links, forms, pictures, styles. */
export const addressesOf = (page: string): string[] =>
  elementsOf(page).flatMap(({ attributes: { href, action, src } }) =>
    [href, action, src].filter((address) => address !== undefined),
  );

/** What a page has of its own, without header and footer. */
export const mainOf = (page: string): string => page.slice(page.indexOf('<main'), page.indexOf('</main>'));

/** The attributes of the input of this name, or undefined when the page has none. */
export const inputOf = (page: string, name: string): Record<string, string> | undefined =>
  elementsOf(page).find((element) => element.name === 'input' && element.attributes.name === name)
    ?.attributes;

/** The text of the fault shown at a field, or undefined when it shows none. */
export function fieldError(page: string, name: string): string | undefined {
  const text = new RegExp(`<p class="field-error" id="${name}-error">(.*?)</p>`).exec(page)?.[1];
  return text === undefined ? undefined : textIn(text);
}

/** The errors of a form: those in its summary or, without one, that of its field. */
export function formErrors(page: string): string[] {
  const summary = /<div class="error-summary"[\s\S]*?<\/div>/.exec(page)?.[0];
  const items =
    summary === undefined
      ? page.matchAll(/<p class="field-error"[^>]*>(.*?)<\/p>/gs)
      : summary.matchAll(/<li>(.*?)<\/li>/gs);
  return [...items].map(([, item = '']) => textIn(item));
}

/** The text of a page without its markup, its words a space apart. */
export const textIn = (page: string): string => plain(page.replace(/<[^>]*>/g, '')).replace(/\s+/g, ' ');

/** The markup of every form of a page, or of those with such an opening tag. */
export const formsOf = (page: string, opening = /<form\b/): string[] =>
  (page.match(/<form\b[\s\S]*?<\/form>/g) ?? []).filter((form) => opening.test(form));

/** The title of a page, without the name of the service. */
export const titleOf = (page: string): string => /<title>(.*) – Sésame<\/title>/.exec(page)?.[1] ?? '';

/** The text of the code with that id, its line ends kept. @throws Error when the page has none */
export function codeOf(page: string, id: string): string {
  const code = new RegExp(`<code id="${id}">([^]*?)</code>`).exec(page)?.[1];
  if (code === undefined) throw new Error(`the page has no code ${id}`);
  return plain(code.replace(/<[^>]*>/g, ''));
}

/** The text of the page's first heading. */
export const headingOf = (page: string): string =>
  plain((/<h1>([\s\S]*?)<\/h1>/.exec(page)?.[1] ?? '').replace(/<[^>]*>/g, ''));

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

export const plain = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
