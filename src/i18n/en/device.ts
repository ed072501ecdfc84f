// Owns the English texts of letting a device in.
import type { device as reference } from '../fr/device.ts';

export const device: typeof reference = {
  title: 'Connect a device',
  lead: 'Does your television, your console or a program show you a code? Type it here to connect it to your account.',
  code: 'Code shown by the device',
  codeHint: 'Eight letters, such as WDJB-MJHT.',
  action: 'Continue',
  unknownCode:
    'No device is waiting with this code. Check it, or ask for a new one on the device: a code is good for 15 minutes only.',
  tooManyTries: 'Too many tries for now. Try again in an hour.',
  decideTitle: (application) => `Connect a device to ${application}?`,
  check: (code) =>
    `Allow this only if you started it yourself, and your device does show ${code}. If somebody sent you this code, refuse.`,
  allowed: 'The device is allowed. Go back to it: it signs in by itself.',
  denied: 'The device was not allowed. Nothing was shared.',
};
