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
