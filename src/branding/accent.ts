// The accent colour: what an operator's own becomes on light and dark pages, in mails and at the door, and whether it can be read.
import { contrast, fromOklch, type Hex, mix, parseHex, readable, toOklch } from './colour.ts';

/** What the stylesheets call --accent, --accent-hover, --on-accent and --accent-wash. */
export interface Tints {
  accent: Hex;
  hover: Hex;
  on: Hex;
  wash: Hex;
}

export interface Accent {
  light: Tints;
  dark: Tints;
}

/** What accents stand on, as in public/styles/tokens.css: their contrast is measured against both. */
export const GROUNDS = {
  light: { paper: '#fbfaf7', surface: '#ffffff' },
  dark: { paper: '#15131f', surface: '#1f1c2d' },
} as const satisfies Record<string, Record<string, Hex>>;

/** Ours, as in tokens.css. */
export const OWN_ACCENT: Accent = {
  light: { accent: '#4f46e5', hover: '#4338ca', on: '#ffffff', wash: '#eef0ff' },
  dark: { accent: '#a5b4fc', hover: '#c7d2fe', on: '#1e1b4b', wash: '#29264a' },
};

/** Text of any size (WCAG 2.2, 1.4.3). */
const ENOUGH = 4.5;
/** What a derived accent has at least on dark pages: as ours has, and links there are thin. */
const EASY = 7;
/** How much of the accent a wash is made of at most: the less, the nearer the accent is to what it stands on. */
const WASH = { light: 0.09, dark: 0.14 };

/** What is wrong with an accent colour, in one line that says the measured ratio and what would do; undefined: nothing. */
export function accentFault(colour: Hex, theme: 'light' | 'dark'): string | undefined {
  const grounds = Object.values(GROUNDS[theme]);
  const measured = grounds.map((ground) => ({ ground, ratio: contrast(colour, ground) }));
  const worst = measured.reduce((least, one) => (one.ratio < least.ratio ? one : least));
  if (worst.ratio >= ENOUGH) return undefined;
  const towards = theme === 'light' ? 'darker' : 'lighter';
  const better = readable(colour, grounds, ENOUGH, towards);
  // Cut, not rounded: 4.499 must not be said to be 4.50.
  const ratio = (Math.floor(worst.ratio * 100) / 100).toFixed(2);
  return `${colour} cannot be read on ${theme} pages: its contrast with ${worst.ground} is ${ratio}:1, and 4.5:1 is needed; ${better} of the same hue has it`;
}

/** The accent of an operator's colour, good by `accentFault`; the one for dark pages is derived where none is given. */
export function accentFrom(colour: string, dark?: string): Accent {
  const light = parseHex(colour) ?? OWN_ACCENT.light.accent;
  return {
    light: tintsOf(light, 'light'),
    dark: tintsOf((dark === undefined ? undefined : parseHex(dark)) ?? lightened(light), 'dark'),
  };
}

/** The accent in force. */
export const accentOf = (config: {
  accentColor: string | undefined;
  accentColorDark: string | undefined;
}): Accent =>
  config.accentColor === undefined ? OWN_ACCENT : accentFrom(config.accentColor, config.accentColorDark);

/** The same hue for dark pages: as light and as soft as ours there. */
function lightened(colour: Hex): Hex {
  const { chroma, hue } = toOklch(colour);
  const soft = fromOklch({ lightness: 0.78, chroma: Math.min(chroma, 0.13), hue });
  return readable(soft, Object.values(GROUNDS.dark), EASY, 'lighter') ?? soft;
}

function tintsOf(accent: Hex, theme: 'light' | 'dark'): Tints {
  const { lightness, chroma, hue } = toOklch(accent);
  // What is as good as black has nowhere darker to go.
  const towards = theme === 'dark' || lightness < 0.2 ? 0.07 : -0.07;
  const on =
    theme === 'light' ? '#ffffff' : fromOklch({ lightness: 0.24, chroma: Math.min(chroma, 0.09), hue });
  return {
    accent,
    hover: fromOklch({ lightness: Math.min(1, lightness + towards), chroma, hue }),
    on: contrast(on, accent) >= ENOUGH ? on : '#000000',
    wash: washOf(accent, theme),
  };
}

/** Of the accent as much as leaves it readable there. */
function washOf(accent: Hex, theme: 'light' | 'dark'): Hex {
  const { surface } = GROUNDS[theme];
  for (let share = WASH[theme]; share > 0; share -= 0.01) {
    const wash = mix(surface, accent, share);
    if (contrast(accent, wash) >= ENOUGH) return wash;
  }
  return surface;
}

/** The door in the accent's hue: as dark and as deep as ours, with the accent's share of colour. */
const DOOR = {
  light: { night: '#1e1b4b', frame: '#2e2a6b', leaf: '#4338ca', panel: '#3a31b5' },
  dark: { night: '#0d0b18', frame: '#221e4d', leaf: '#3730a3', panel: '#2f2989' },
} as const satisfies Record<string, Record<string, Hex>>;

/** What goes after the stylesheet of every page: the tokens that an operator's accent replaces. */
export function accentStyles({ light, dark }: Accent): string {
  const tokens = (theme: 'light' | 'dark', tints: Tints) =>
    [
      ['accent', tints.accent],
      ['accent-hover', tints.hover],
      ['on-accent', tints.on],
      ['accent-wash', tints.wash],
      ...Object.entries(DOOR[theme]).map(([name, colour]) => [name, inHueOf(light.accent, colour)]),
    ]
      .map(([name, colour]) => `--${name}: ${colour};`)
      .join(' ');
  return `:root { ${tokens('light', light)} }
@media (prefers-color-scheme: dark) { :root { ${tokens('dark', dark)} } }
`;
}

function inHueOf(accent: Hex, colour: Hex): Hex {
  const { chroma: wanted, hue } = toOklch(accent);
  const { lightness, chroma } = toOklch(colour);
  const share = Math.min(1, wanted / toOklch(OWN_ACCENT.light.accent).chroma);
  return fromOklch({ lightness, chroma: chroma * share, hue });
}
