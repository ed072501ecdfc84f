// An authenticator that Chromium carries for tests (WebAuthn Level 3 §11): what people answer is what the test says.
import type { CDPSession, Page } from 'playwright-core';

export interface VirtualAuthenticator {
  /** The ids of the passkeys that it keeps, base64url. */
  kept(): Promise<string[]>;
  /** Forgets one, as somebody does who deletes it from their device. */
  forget(id: string): Promise<void>;
  /** Whether it recognises its person. */
  recognises(person: boolean): Promise<void>;
  /** Whether somebody touches it when it asks. */
  touched(automatically: boolean): Promise<void>;
}

/** Gives a tab an authenticator that keeps discoverable passkeys. */
export async function giveAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const idsOf = async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  const base64url = (id: string) => Buffer.from(id, 'base64').toString('base64url');
  return {
    kept: async () => (await idsOf()).map(({ credentialId }) => base64url(credentialId)),
    forget: async (id) => {
      const credentialId = Buffer.from(id, 'base64url').toString('base64');
      await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    },
    recognises: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    touched: async (enabled) => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
  };
}

/** Keeps account of what pages of a tab tell whatever keeps passkeys, from its next page on: every call, the oldest first. */
export async function recordSignals(
  page: Page,
): Promise<{ signal: string; said: Record<string, unknown> }[]> {
  const calls: { signal: string; said: Record<string, unknown> }[] = [];
  await page.exposeFunction('recordSignal', (signal: string, said: Record<string, unknown>) =>
    calls.push({ signal, said }),
  );
  await page.addInitScript(`for (const signal of ['UnknownCredential', 'AllAcceptedCredentials', 'CurrentUserDetails']) {
    const tell = PublicKeyCredential[\`signal\${signal}\`].bind(PublicKeyCredential);
    PublicKeyCredential[\`signal\${signal}\`] = (said) => (recordSignal(signal, said), tell(said));
  }`);
  return calls;
}
