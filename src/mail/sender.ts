// Parses the sender in MAIL_FROM.

/** If MAIL_FROM contains no name, the service's name is used. */
export function parseSender(mailFrom: string, serviceName: string): { name: string; address: string } {
  const [, name, address] = /^(.+?)\s*<([^<>]+)>$/.exec(mailFrom) ?? [];
  return name === undefined || address === undefined
    ? { name: serviceName, address: mailFrom }
    : { name, address };
}
