// The options by which `apps create` and `apps update` take an application's settings.
import { type Command, Option } from 'commander';
import { encodePicture } from '../accounts/pictures.ts';
import type { DefinitionChange, DefinitionFault } from '../applications/definition.ts';
import { faultWords } from '../applications/fault-words.ts';
import { messagesFor } from '../i18n/index.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { CommandFault } from './context.ts';
import { bytesOf, readKeysFile, readSettingsFile, type SettingsFile } from './settings-file.ts';
import { wholeNumber } from './whole-number.ts';

export interface SettingsOptions {
  from?: string;
  name?: string;
  callback?: string[];
  scopes?: string;
  standard?: boolean;
  refreshGrace?: number;
  homePage?: string;
  privacyPolicy?: string;
  termsOfService?: string;
  logo?: string | false;
  idTokenClaims?: 'auto' | 'always' | 'never';
  idTokenAlgorithm?: SigningAlgorithm;
  postLogoutRedirectUri?: string[];
  backchannelLogoutUri?: string;
  parRequired?: boolean;
  pkceRequired?: boolean;
  secondFactorRequired?: boolean;
  deviceFlow?: boolean;
  jwks?: string | false;
}

/** Lists replace those that are there; '' empties a list or a link. */
export const withSettings = (command: Command): Command =>
  command
    .option('--from <file>', 'settings in JSON, as apps show --json prints them; options go before it')
    .option('--name <name>')
    .option('--callback <url...>', 'the callback URLs (redirect_uris), one or more')
    .option('--scopes <names>', `space-separated, of ${SCOPES.join(' ')}`)
    .option('--standard', 'standard OpenID Connect: standard claims, state optional')
    .option('--no-standard', "the contract's own claims")
    .addOption(
      new Option(
        '--id-token-claims <when>',
        'whether id_tokens carry the claims of the granted scopes; auto: in standard mode',
      ).choices(['auto', 'always', 'never']),
    )
    .addOption(
      new Option('--id-token-algorithm <name>', 'id_token_signed_response_alg').choices(SIGNING_ALGORITHMS),
    )
    .option(
      '--refresh-grace <seconds>',
      'how long a superseded refresh token may be repeated: 0 to 60 (a new application has 10)',
      wholeNumber,
    )
    .option('--post-logout-redirect-uri <url...>', 'where people return to after sign-out')
    .option('--backchannel-logout-uri <url>', 'which address is told of sign-outs')
    .option('--par-required', 'accept only pushed authorization requests (RFC 9126)')
    .option('--no-par-required')
    .option('--pkce-required', 'accept only requests with PKCE, as a public application has to send')
    .option('--no-pkce-required')
    .option('--second-factor-required', 'let only people in who have shown a second factor')
    .option('--no-second-factor-required')
    .option('--device-flow', 'let devices sign in with a code (RFC 8628)')
    .option('--no-device-flow')
    .option('--jwks <file>', 'public keys to authenticate with (private_key_jwt), a JWK Set')
    .option('--no-jwks')
    .option('--home-page <url>', 'client_uri, shown when agreement is asked')
    .option('--privacy-policy <url>', 'policy_uri')
    .option('--terms-of-service <url>', 'tos_uri')
    .option('--logo <file>', 'PNG, JPEG or WebP')
    .option('--no-logo');

/** What the options say, over what the file says. @throws CommandFault for files that cannot be used */
export async function readSettings(options: SettingsOptions): Promise<SettingsFile> {
  const file: SettingsFile =
    options.from === undefined ? { change: {} } : await readSettingsFile(options.from);
  const given: { [Name in keyof DefinitionChange]?: DefinitionChange[Name] | undefined } = {
    name: options.name,
    redirectUris: listOf(options.callback),
    scopes: wordsOf(options.scopes),
    standard: options.standard,
    refreshGrace: options.refreshGrace,
    homePage: linkOf(options.homePage),
    privacyPolicy: linkOf(options.privacyPolicy),
    termsOfService: linkOf(options.termsOfService),
    idTokenClaims: options.idTokenClaims && CLAIMS[options.idTokenClaims],
    idTokenAlgorithm: options.idTokenAlgorithm,
    postLogoutRedirectUris: listOf(options.postLogoutRedirectUri),
    backchannelLogoutUri: linkOf(options.backchannelLogoutUri),
    parRequired: options.parRequired,
    pkceRequired: options.pkceRequired,
    secondFactorRequired: options.secondFactorRequired,
    deviceFlow: options.deviceFlow,
    jwks: await ofFile(options.jwks, readKeysFile),
    logo: await ofFile(options.logo, logoIn),
  };
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...file, change: { ...file.change, ...said } };
}

/** What a file holds; null where the option says that there is to be nothing, undefined where it was not given. */
const ofFile = async <Content>(path: string | false | undefined, read: (path: string) => Promise<Content>) =>
  path === undefined ? undefined : path === false ? null : read(path);

const CLAIMS = { auto: null, always: true, never: false } as const;
const linkOf = (text: string | undefined) => (text === undefined ? undefined : text.trim() || null);
const listOf = (entries: string[] | undefined) =>
  entries && [...new Set(entries.map((entry) => entry.trim()).filter(Boolean))];
const wordsOf = (text: string | undefined) =>
  text === undefined ? undefined : [...new Set(text.split(/[\s,]+/).filter(Boolean))];

async function logoIn(path: string): Promise<Buffer> {
  const picture = await encodePicture(await bytesOf(path));
  if (picture === undefined)
    throw new CommandFault(`${path}: ${messagesFor('en').applications.problems.fileUnreadable}`);
  return picture;
}

/** Every fault as the console says it, with what it is about. */
export function faultsInWords(faults: readonly DefinitionFault[], production: boolean): CommandFault {
  const words = faultWords(messagesFor('en'), production);
  return new CommandFault(faults.map((fault) => inWords(fault, words(fault))).join('\n        '));
}

function inWords(fault: DefinitionFault, words: string): string {
  if ('scope' in fault)
    return `Unknown scope ${JSON.stringify(fault.scope)}; there are ${SCOPES.join(', ')}.`;
  if ('uri' in fault) return `Callback URL ${JSON.stringify(fault.uri.slice(0, 200))}: ${words}`;
  const about =
    'entry' in fault && fault.entry !== undefined ? ` ${JSON.stringify(fault.entry.slice(0, 200))}` : '';
  return SAID_ALONE.has(fault.field) ? words : `${fault.field}${about}: ${words}`;
}

/** Faults whose words name what they are about. */
const SAID_ALONE = new Set<string>(['name', 'redirect_uris', 'scopes']);
