// Rejects a file in the wrong format because importing it would lose passwords and IDs.
import { type SourceFormat, UnreadableFileError } from './source.ts';
import { asObjects } from './values.ts';

type Members = Readonly<Record<string, unknown>>;

/** Members that identify a format. The first one that is present determines the format. */
const FORMATS: readonly (readonly [member: string, format: SourceFormat])[] = [
  ['sub', 'jsonl'],
  ['localId', 'firebase'],
  ['credentials', 'keycloak'],
  ['createdTimestamp', 'keycloak'],
  ['user_id', 'auth0'],
  ['passwordHash', 'auth0'],
  ['password_hash', 'jsonl'],
];

/** @throws UnreadableFileError if the members belong to another format */
export function assertFormat(format: SourceFormat, members: Members): void {
  const found = detectFormat(members) ?? format;
  if (found !== format) throw new UnreadableFileError('other_format', found);
}

function detectFormat(members: Members): SourceFormat | undefined {
  // A JSONL user may also have a member `realm`, which the import ignores.
  if (hasMember(members, 'realm') && !hasMember(members, 'email')) return 'keycloak';
  const [user = {}] = asObjects(members.users);
  const [, format] =
    FORMATS.find(([member]) => hasMember(members, member)) ??
    FORMATS.find(([member]) => hasMember(user, member)) ??
    [];
  return format;
}

const hasMember = (members: Members, name: string): boolean =>
  members[name] !== undefined && members[name] !== null;
