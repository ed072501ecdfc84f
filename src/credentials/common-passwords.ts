// The commonest passwords, which are refused at sign-up: 18,000 of eight characters or more.
import { PASSWORD_MIN } from './password-length.ts';

let common: Promise<Set<string>> | undefined;

/** Whether a password, in any case, is among the commonest ones. The list is read when it is first needed (20 MB). */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= readCommonPasswords();
  return (await common).has(password.toLowerCase());
}

async function readCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((word) => word.length >= PASSWORD_MIN));
}
