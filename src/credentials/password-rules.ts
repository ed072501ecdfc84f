// What a new password must be like: neither short, nor endless, nor common; each fault by name, its words are in the dictionaries.

/** Characters (NIST SP 800-63B §3.1.1.2: at least 8, and room for 64 and more). */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 1024;

export type PasswordFault = 'passwordTooShort' | 'passwordTooLong' | 'passwordTooCommon';

/** Length is counted in characters as a person counts them (code points), not in UTF-16 units. */
export async function passwordFault(password: string): Promise<PasswordFault | undefined> {
  const length = [...password].length;
  if (length < PASSWORD_MIN) return 'passwordTooShort';
  if (length > PASSWORD_MAX) return 'passwordTooLong';
  return (await isCommonPassword(password)) ? 'passwordTooCommon' : undefined;
}

let common: Promise<Set<string>> | undefined;

/** Whether a password, in any case, is among the 18,000 commonest ones. The list is read when it is first needed (20 MB). */
async function isCommonPassword(password: string): Promise<boolean> {
  common ??= readCommonPasswords();
  return (await common).has(password.toLowerCase());
}

async function readCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((word) => word.length >= PASSWORD_MIN));
}
