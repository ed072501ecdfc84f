// Of whom the service demands a second factor, whatever the application (D42).

/** Nobody, whoever runs the service, or everyone. */
export const SECOND_FACTOR_RULES = ['optional', 'operators', 'everyone'] as const;
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];

/** Whether it is demanded of this person. */
export const isDemandedOf = (rule: SecondFactorRule, { operator }: { operator: boolean }): boolean =>
  rule === 'everyone' || (rule === 'operators' && operator);
