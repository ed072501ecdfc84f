// sesame users …
import { randomBytes } from 'node:crypto';
import { text as readAll } from 'node:stream/consumers';
import { cleanName, isEmail, isPhone, nameFault, passwordFault } from '../accounts/account-fields.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from '../accounts/password-length.ts';
import { createAccount } from '../accounts/sign-up.ts';
import { deleteUser, findUserByEmail, listUsers } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';
import { table } from './table.ts';

interface CreateOptions {
  email: string;
  name: string;
  phone?: string;
  verified?: boolean;
  operator?: boolean;
  passwordStdin?: boolean;
}

export async function createUser({ database, hasher, now }: Context, options: CreateOptions) {
  const name = cleanName(options.name);
  const { email, phone } = options;
  if (!isEmail(email)) throw new CommandFault(`${JSON.stringify(email)} is not an email address.`);
  if (nameFault(name) !== undefined)
    throw new CommandFault('The name is missing or longer than 100 characters.');
  if (phone !== undefined && !isPhone(phone))
    throw new CommandFault('The phone number must be in international format, such as +33612345678.');
  const given = options.passwordStdin ? await passwordFromInput() : undefined;
  const password = given ?? randomBytes(15).toString('base64url');
  const account = await createAccount(
    database,
    await hasher(),
    { email, name, password, phone, emailVerified: options.verified, operator: options.operator },
    now,
  );
  if (account === undefined) throw new CommandFault(`An account with the email ${email} exists already.`);
  const { userId: sub } = account;
  return {
    text: `Created ${email} (${sub}).${given === undefined ? `\nPassword, shown once: ${password}` : ''}`,
    json: { sub, email, ...(given === undefined && { password }) },
  };
}

async function passwordFromInput(): Promise<string> {
  const password = (await readAll(process.stdin)).replace(/\r?\n$/, '');
  const fault = await passwordFault(password);
  const words = {
    passwordTooShort: `is shorter than ${PASSWORD_MIN} characters`,
    passwordTooLong: `is longer than ${PASSWORD_MAX} characters`,
    passwordTooCommon: 'is one of the commonest there are',
  };
  if (fault !== undefined) throw new CommandFault(`The password ${words[fault]}.`);
  return password;
}

export async function listAllUsers({ database }: Context) {
  const rows = await listUsers(database);
  return {
    text: table(
      ['sub', 'email', 'name', 'verified', 'operator', 'created'],
      rows.map((row) => [
        row.userId,
        row.email,
        row.name,
        row.emailVerified ? 'yes' : 'no',
        row.operator ? 'yes' : 'no',
        row.createdAt.toISOString().slice(0, 10),
      ]),
    ),
    json: rows.map((row) => ({
      sub: row.userId,
      email: row.email,
      name: row.name,
      phone: row.phone,
      email_verified: row.emailVerified,
      operator: row.operator,
      suspended: row.suspended,
      created_at: row.createdAt.toISOString(),
    })),
  };
}

export async function deleteUserByEmail({ database }: Context, email: string) {
  const user = await findUserByEmail(database, email);
  if (user === undefined) throw new CommandFault(`No account has the email ${email}.`);
  await deleteUser(database, user.userId);
  return {
    text: `Deleted ${user.email} (${user.userId}).`,
    json: { deleted: user.userId, email: user.email },
  };
}
