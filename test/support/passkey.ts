// An authenticator in software: makes passkeys and answers for them, also as none should (WebAuthn Level 3 §6).

import {
  createHash,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import type { TestService } from './service.ts';

const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10, attested: 0x40 };

/** What an answer says otherwise than it should. */
export interface Oddity {
  type?: string;
  origin?: string;
  challenge?: string;
  rpId?: string;
  crossOrigin?: boolean;
  topOrigin?: string;
  present?: boolean;
  verified?: boolean;
  /** Whether it says that it may be synced. */
  synced?: boolean;
  counter?: number;
  userHandle?: string | undefined;
  signature?: string;
  /**
   * A new one is vouched for by itself, by a key that is not its own, or by whoever has this certificate and its key, as security
   * keys of before WebAuthn are.
   */
  maker?: 'itself' | 'another key' | { cert: string; key: string };
  /** What kind of key it says that it has made (COSE). */
  algorithm?: -36;
  /** The id around what is signed. */
  id?: string;
}

export interface SoftwarePasskey {
  id: string;
  /** The answer to `navigator.credentials.create`, as pages send it. */
  creation: (options: string, odd?: Oddity) => string;
  /** The answer to `navigator.credentials.get`. */
  assertion: (options: string, odd?: Oddity) => string;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const base64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url');

/** @param made `synced`: it may be; its counter stays at nought then */
export function newPasskey(
  origin: string,
  made: { synced?: boolean; aaguid?: string; id?: string } = {},
): SoftwarePasskey {
  const { synced = true, aaguid = '00000000-0000-0000-0000-000000000000' } = made;
  const id = made.id ?? base64url(randomBytes(20));
  const { privateKey, publicKey } = newKey();
  let counter = 0;
  let userHandle: string | undefined;

  const clientData = (type: string, challenge: string, odd: Oddity): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: odd.type ?? type,
        challenge: odd.challenge ?? challenge,
        origin: odd.origin ?? origin,
        crossOrigin: odd.crossOrigin ?? false,
        ...(odd.topOrigin !== undefined && { topOrigin: odd.topOrigin }),
      }),
    );
  const authenticatorData = (rpId: string, odd: Oddity, attested?: Buffer): Buffer => {
    const eligible = odd.synced ?? synced;
    const flags =
      (odd.present === false ? 0 : FLAGS.present) |
      (odd.verified === false ? 0 : FLAGS.verified) |
      (eligible ? FLAGS.eligible | FLAGS.backedUp : 0) |
      (attested ? FLAGS.attested : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(odd.counter ?? counter, 1);
    return Buffer.concat([sha256(odd.rpId ?? rpId), head, attested ?? Buffer.alloc(0)]);
  };

  return {
    id,
    creation(options, odd = {}) {
      const { challenge, rp, user } = JSON.parse(options);
      userHandle = user.id;
      const idBytes = Buffer.from(id, 'base64url');
      const length = Buffer.alloc(2);
      length.writeUInt16BE(idBytes.length);
      const number = Buffer.from(aaguid.replaceAll('-', ''), 'hex');
      const attested = Buffer.concat([number, length, idBytes, coseKey(publicKey, odd.algorithm)]);
      const authData = authenticatorData(rp.id, odd, attested);
      const client = clientData('webauthn.create', challenge, odd);
      const signed = Buffer.concat([authData, sha256(client)]);
      const statement =
        odd.maker === undefined
          ? Buffer.from('63666d74646e6f6e656761747453746d74a0', 'hex') // fmt: "none", attStmt: {}
          : typeof odd.maker === 'object'
            ? vouchedFor(odd.maker, { rpId: rp.id, client, idBytes, publicKey })
            : vouchedForByItself(signed, odd.maker === 'itself' ? privateKey : newKey().privateKey);
      // {…, authData: bytes} in CBOR
      const attestationObject = Buffer.concat([
        Buffer.of(0xa3),
        statement,
        Buffer.from('686175746844617461', 'hex'),
        byteString(authData),
      ]);
      return JSON.stringify({
        id: odd.id ?? id,
        rawId: odd.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          attestationObject: base64url(attestationObject),
          transports: ['internal', 'hybrid'],
        },
      });
    },
    assertion(options, odd = {}) {
      const { challenge, rpId } = JSON.parse(options);
      if (!synced) counter += 1;
      const data = authenticatorData(rpId, odd);
      const client = clientData('webauthn.get', challenge, odd);
      const signed = createSign('sha256')
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return JSON.stringify({
        id: odd.id ?? id,
        rawId: odd.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: odd.signature ?? base64url(signed),
          userHandle: 'userHandle' in odd ? odd.userHandle : userHandle,
        },
      });
    },
  };
}

const byteString = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x59, bytes.length >> 8, bytes.length & 0xff), bytes]);

/** The passkey's own signature (WebAuthn Level 3 §8.2): fmt: "packed", attStmt: {alg: -7, sig}, in CBOR. */
const vouchedForByItself = (signed: Buffer, key: KeyObject): Buffer =>
  Buffer.concat([
    Buffer.from('63666d74667061636b65646761747453746d74a263616c672663736967', 'hex'),
    byteString(createSign('sha256').update(signed).sign(key)),
  ]);

/** What a security key says of its maker (WebAuthn Level 3 §8.6): fmt: "fido-u2f", attStmt: {sig, x5c: [certificate]}, in CBOR. */
function vouchedFor(
  { cert, key }: { cert: string; key: string },
  {
    rpId,
    client,
    idBytes,
    publicKey,
  }: { rpId: string; client: Buffer; idBytes: Buffer; publicKey: KeyObject },
): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const signature = createSign('sha256')
    .update(Buffer.concat([Buffer.of(0), sha256(rpId), sha256(client), idBytes, point]))
    .sign(key);
  return Buffer.concat([
    Buffer.from('63666d74686669646f2d7532666761747453746d74a263736967', 'hex'),
    byteString(signature),
    Buffer.from('6378356381', 'hex'),
    byteString(new X509Certificate(cert).raw),
  ]);
}

/** A key as COSE says it: {1: 2, 3: algorithm, -1: 1, -2: x, -3: y} in CBOR; ES256, or what is said. */
function coseKey(key: KeyObject, algorithm?: -36): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from(`a5010203${algorithm === undefined ? '26' : '3823'}2001215820`, 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
}

/** The options that a page gives to the browser. */
export function optionsIn(body: string, does: 'sign-in' | 'confirm' | 'create'): string {
  const [, found = ''] = new RegExp(`data-passkey="${does}" data-options="([^"]*)"`).exec(body) ?? [];
  return found.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&');
}

export const NEW = '/account/security/passkeys/new';

/** Makes a passkey in a browser that is freshly signed in. */
export async function enrol(
  browser: BrowserSession,
  service: Pick<TestService, 'baseUrl'>,
  { passkey = newPasskey(service.baseUrl), odd = {} }: { passkey?: SoftwarePasskey; odd?: Oddity } = {},
): Promise<{ passkey: SoftwarePasskey; answer: Visit }> {
  const page = await browser.get(NEW);
  const made = passkey.creation(optionsIn(page.body, 'create'), odd);
  return { passkey, answer: await browser.post(NEW, { ...page.hidden, passkey: made }) };
}

/** Shows a passkey on the sign-in page. @param another in a browser in which somebody is signed in */
export async function showPasskey(
  service: Pick<TestService, 'baseUrl'>,
  passkey: SoftwarePasskey,
  {
    browser = openBrowserSession(service.baseUrl),
    another = false,
    odd = {},
  }: { browser?: BrowserSession; another?: boolean; odd?: Oddity } = {},
): Promise<{ browser: BrowserSession; page: Visit; shown: string; answer: Visit }> {
  const page = await browser.get(another ? '/signin?another=1' : '/signin');
  const shown = passkey.assertion(optionsIn(page.body, 'sign-in'), odd);
  return {
    browser,
    page,
    shown,
    answer: await browser.post('/signin', { ...page.hidden, passkey: shown }),
  };
}
