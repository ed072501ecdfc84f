// sesame audit: its options and defaults; what it does is in audit.ts.
import type { Command } from 'commander';
import { listAudit } from '../audit.ts';
import type { Runs } from '../run.ts';
import { wholeNumber } from '../whole-number.ts';

export function addAudit(program: Command, run: Runs): void {
  program
    .command('audit')
    .description('the latest events of the audit log')
    .option('--kind <kind>', 'such as signed_in, sign_in_failed or account_suspended')
    .option('--user <email>', 'who did it or whom it was done to, by email or sub')
    .option('--app <client-id>', 'the application that it was done to')
    .option('--api <api-id>', 'the API that it was done to')
    .option('--address <ip>', 'the IP address that it came from')
    .option('--from <day>', 'not before this day or moment')
    .option('--until <day>', 'before this day or moment')
    .option('--limit <number>', 'how many at most', wholeNumber, 50)
    .action(run(listAudit));
}
