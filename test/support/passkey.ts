// Software authenticator (WebAuthn Level 3 §6) that can also create invalid responses.

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

const AUTHENTICATOR_FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10, attested: 0x40 };

export interface ResponseOverrides {
  type?: string;
  origin?: string;
  challenge?: string;
  rpId?: string;
  crossOrigin?: boolean;
  topOrigin?: string;
  isUserPresent?: boolean;
  isUserVerified?: boolean;
  isBackupEligible?: boolean;
  counter?: number;
  userHandle?: string | undefined;
  signature?: string;
  attestation?: 'self' | 'another key' | { cert: string; key: string };
  /** COSE algorithm that the service rejects. */
  algorithm?: -36;
  /** Credential ID of the response, which the signature doesn't cover. */
  id?: string;
}

export interface SoftwarePasskey {
  id: string;
  createCredential: (options: string, overrides?: ResponseOverrides) => string;
  createAssertion: (options: string, overrides?: ResponseOverrides) => string;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const toBase64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url');

/** @param options `synced` passkeys are backup eligible and have no signature counter */
export function createPasskey(
  origin: string,
  options: { synced?: boolean; aaguid?: string; id?: string } = {},
): SoftwarePasskey {
  const { synced = true, aaguid = '00000000-0000-0000-0000-000000000000' } = options;
  const id = options.id ?? toBase64url(randomBytes(20));
  const { privateKey, publicKey } = newKey();
  let counter = 0;
  let userHandle: string | undefined;

  const buildClientData = (type: string, challenge: string, overrides: ResponseOverrides): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: overrides.type ?? type,
        challenge: overrides.challenge ?? challenge,
        origin: overrides.origin ?? origin,
        crossOrigin: overrides.crossOrigin ?? false,
        ...(overrides.topOrigin !== undefined && { topOrigin: overrides.topOrigin }),
      }),
    );
  const buildAuthenticatorData = (rpId: string, overrides: ResponseOverrides, attested?: Buffer): Buffer => {
    const eligible = overrides.isBackupEligible ?? synced;
    const flags =
      (overrides.isUserPresent === false ? 0 : AUTHENTICATOR_FLAGS.present) |
      (overrides.isUserVerified === false ? 0 : AUTHENTICATOR_FLAGS.verified) |
      (eligible ? AUTHENTICATOR_FLAGS.eligible | AUTHENTICATOR_FLAGS.backedUp : 0) |
      (attested ? AUTHENTICATOR_FLAGS.attested : 0);
    const header = Buffer.alloc(5);
    header.writeUInt8(flags);
    header.writeUInt32BE(overrides.counter ?? counter, 1);
    return Buffer.concat([sha256(overrides.rpId ?? rpId), header, attested ?? Buffer.alloc(0)]);
  };

  return {
    id,
    createCredential(options, overrides = {}) {
      const { challenge, rp, user } = JSON.parse(options);
      userHandle = user.id;
      const idBytes = Buffer.from(id, 'base64url');
      const length = Buffer.alloc(2);
      length.writeUInt16BE(idBytes.length);
      const aaguidBytes = Buffer.from(aaguid.replaceAll('-', ''), 'hex');
      const attested = Buffer.concat([
        aaguidBytes,
        length,
        idBytes,
        encodeCoseKey(publicKey, overrides.algorithm),
      ]);
      const authData = buildAuthenticatorData(rp.id, overrides, attested);
      const client = buildClientData('webauthn.create', challenge, overrides);
      const signature = Buffer.concat([authData, sha256(client)]);
      const statement =
        overrides.attestation === undefined
          ? Buffer.from('63666d74646e6f6e656761747453746d74a0', 'hex') // fmt: "none", attStmt: {}
          : typeof overrides.attestation === 'object'
            ? buildU2fAttestation(overrides.attestation, { rpId: rp.id, client, idBytes, publicKey })
            : buildSelfAttestation(
                signature,
                overrides.attestation === 'self' ? privateKey : newKey().privateKey,
              );
      const attestationObject = Buffer.concat([
        Buffer.of(0xa3),
        statement,
        Buffer.from('686175746844617461', 'hex'),
        encodeByteString(authData),
      ]);
      return JSON.stringify({
        id: overrides.id ?? id,
        rawId: overrides.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: toBase64url(client),
          attestationObject: toBase64url(attestationObject),
          transports: ['internal', 'hybrid'],
        },
      });
    },
    createAssertion(options, overrides = {}) {
      const { challenge, rpId } = JSON.parse(options);
      if (!synced) counter += 1;
      const data = buildAuthenticatorData(rpId, overrides);
      const client = buildClientData('webauthn.get', challenge, overrides);
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return JSON.stringify({
        id: overrides.id ?? id,
        rawId: overrides.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: toBase64url(client),
          authenticatorData: toBase64url(data),
          signature: overrides.signature ?? toBase64url(signature),
          userHandle: 'userHandle' in overrides ? overrides.userHandle : userHandle,
        },
      });
    },
  };
}

const encodeByteString = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x59, bytes.length >> 8, bytes.length & 0xff), bytes]);

/** WebAuthn Level 3 §8.2 in CBOR: fmt: "packed", attStmt: {alg: -7, sig}. */
const buildSelfAttestation = (signature: Buffer, key: KeyObject): Buffer =>
  Buffer.concat([
    Buffer.from('63666d74667061636b65646761747453746d74a263616c672663736967', 'hex'),
    encodeByteString(createSign('sha256').update(signature).sign(key)),
  ]);

/** WebAuthn Level 3 §8.6 in CBOR: fmt: "fido-u2f", attStmt: {sig, x5c: [certificate]}. */
function buildU2fAttestation(
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
    encodeByteString(signature),
    Buffer.from('6378356381', 'hex'),
    encodeByteString(new X509Certificate(cert).raw),
  ]);
}

/** COSE key in CBOR: {1: 2, 3: algorithm, -1: 1, -2: x, -3: y}. */
function encodeCoseKey(key: KeyObject, algorithm?: -36): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from(`a5010203${algorithm === undefined ? '26' : '3823'}2001215820`, 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
}

export function readPasskeyOptions(body: string, action: 'sign-in' | 'confirm' | 'create'): string {
  const [, found = ''] = new RegExp(`data-passkey="${action}" data-options="([^"]*)"`).exec(body) ?? [];
  return found.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&');
}

export const NEW_PASSKEY_PATH = '/account/security/passkeys/new';

/** The user must have signed in recently. */
export async function registerPasskey(
  browser: BrowserSession,
  service: Pick<TestService, 'baseUrl'>,
  {
    passkey = createPasskey(service.baseUrl),
    overrides = {},
  }: { passkey?: SoftwarePasskey; overrides?: ResponseOverrides } = {},
): Promise<{ passkey: SoftwarePasskey; response: Visit }> {
  const page = await browser.get(NEW_PASSKEY_PATH);
  const credential = passkey.createCredential(readPasskeyOptions(page.body, 'create'), overrides);
  return { passkey, response: await browser.post(NEW_PASSKEY_PATH, { ...page.hidden, passkey: credential }) };
}

/** @param options.another keeps the other accounts signed in */
export async function signInWithPasskey(
  service: Pick<TestService, 'baseUrl'>,
  passkey: SoftwarePasskey,
  {
    browser = openBrowserSession(service.baseUrl),
    another = false,
    overrides = {},
  }: { browser?: BrowserSession; another?: boolean; overrides?: ResponseOverrides } = {},
): Promise<{ browser: BrowserSession; page: Visit; assertion: string; response: Visit }> {
  const page = await browser.get(another ? '/signin?another=1' : '/signin');
  const assertion = passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in'), overrides);
  return {
    browser,
    page,
    assertion: assertion,
    response: await browser.post('/signin', { ...page.hidden, passkey: assertion }),
  };
}
