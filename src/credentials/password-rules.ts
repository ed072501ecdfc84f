// What a new password must be like; each fault by name, its words are in the dictionaries.
import { isCommonPassword } from './common-passwords.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from './password-length.ts';

export type PasswordFault = 'passwordTooShort' | 'passwordTooLong' | 'passwordTooCommon';

/** Length is counted in characters as a person counts them (code points), not in UTF-16 units. */
export async function passwordFault(password: string): Promise<PasswordFault | undefined> {
  const length = [...password].length;
  if (length < PASSWORD_MIN) return 'passwordTooShort';
  if (length > PASSWORD_MAX) return 'passwordTooLong';
  return (await isCommonPassword(password)) ? 'passwordTooCommon' : undefined;
}
