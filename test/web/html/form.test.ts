import { describe, expect, test } from 'vitest';
import { errorSummary } from '../../../src/web/html/error-summary.ts';
import { hiddenInput, passwordField, selectField, textField } from '../../../src/web/html/fields.ts';
import { form } from '../../../src/web/html/form.ts';
import { html, render } from '../../../src/web/html/html.ts';

const errors = [{ field: 'email', text: 'Not an address' }, { text: 'Something else' }];

describe('the error summary', () => {
  test('receives focus and lists the invalid fields', () => {
    const twoEmailErrors = [...errors, { field: 'email', text: 'Too long' }];
    const markup = render(
      html`${errorSummary({ title: (count) => `${count} errors`, errors: twoEmailErrors })}${textField({ name: 'email', label: 'Email', errors: twoEmailErrors })}`,
    );
    expect(markup).toContain('role="alert" tabindex="-1" autofocus');
    expect(markup).toContain('>2 errors</h2>');
    expect(markup.match(/<li>.*<\/li>/g)).toEqual([
      '<li><a href="#email">Email</a></li>',
      '<li>Something else</li>',
    ]);
    expect(markup.split('Not an address')).toHaveLength(2);
  });

  test('shows the full error if the field is not in the form', () => {
    const otherErrors = [{ field: 'phone', text: 'Not a number' }, ...errors];
    const markup = render(html`${errorSummary({ title: () => 'Errors', errors: otherErrors })}`);
    expect(markup).toContain('<li><a href="#phone">Not a number</a></li>');
  });

  test('is omitted if the field shows the only error', () => {
    const link = { href: '/elsewhere', text: 'Elsewhere' };
    const singleError = [{ field: 'email', text: 'Not an address', link }];
    const markup = render(textField({ name: 'email', label: 'Email', errors: singleError }));
    expect(markup).toContain('Not an address <a href="/elsewhere">Elsewhere</a>');
    expect(errorSummary({ title: () => 'One error', errors: singleError })).toBeUndefined();
    expect(render(textField({ name: 'email', label: 'Email', errors: singleError }))).toContain(' autofocus');
    expect(render(textField({ name: 'name', label: 'Name', errors: singleError }))).not.toContain(
      'autofocus',
    );
    expect(render(textField({ name: 'email', label: 'Email', errors }))).not.toContain('autofocus');
  });

  test('is shown for a single error without a field', () => {
    expect(errorSummary({ title: () => 'One error', errors: [{ text: 'Suspended' }] })).toBeDefined();
  });

  test('is omitted if there are no errors', () => {
    expect(errorSummary({ title: () => 'None', errors: [] })).toBeUndefined();
  });
});

describe('a field', () => {
  test('associates the input element with the hint and the error', () => {
    const markup = render(textField({ name: 'email', label: 'Email', hint: 'Yours', errors }));
    expect(markup).toContain('<label class="field-label" for="email">');
    expect(markup).toContain('aria-describedby="email-hint email-error" aria-invalid="true"');
    expect(markup).toContain('<p class="field-error" id="email-error">Not an address</p>');
  });

  test('associates a select element with the hint and the error', () => {
    const field = { name: 'email', label: 'Email', options: [{ value: 'a', label: 'A' }], value: 'b' };
    const markup = render(selectField({ ...field, hint: 'Yours', errors }));
    expect(markup).toContain('aria-describedby="email-hint email-error" aria-invalid="true"');
    expect(markup).toContain('<p class="field-error" id="email-error">Not an address</p>');
    expect(render(selectField(field))).not.toMatch(/aria-invalid|aria-describedby|field-error/);
  });

  test('shows each error on a separate line', () => {
    const twoEmailErrors = [...errors, { field: 'email', text: 'Not <yours>' }];
    expect(render(textField({ name: 'email', label: 'Email', errors: twoEmailErrors }))).toContain(
      '<p class="field-error" id="email-error">Not an address<br>Not &lt;yours&gt;</p>',
    );
  });

  test('is not marked as invalid if only other fields have errors', () => {
    const markup = render(textField({ name: 'name', label: 'Name', errors }));
    expect(markup).not.toMatch(/aria-invalid|aria-describedby|field-error/);
  });

  test('escapes the entered value', () => {
    expect(render(textField({ name: 'name', label: 'Name', value: '"><script>' }))).toContain(
      'value="&quot;&gt;&lt;script&gt;"',
    );
  });

  test('can be marked as optional in the label', () => {
    const markup = render(textField({ name: 'phone', label: 'Phone', optional: 'optional' }));
    expect(markup).toContain('for="phone">Phone <span class="field-optional">(optional)</span></label>');
    expect(markup).not.toContain('required');
    expect(render(textField({ name: 'q', label: 'Search', optional: true }))).toContain('>Search</label>');
  });

  test('has no value if it is a password field', () => {
    const field = {
      name: 'password',
      label: 'Password',
      autocomplete: 'new-password',
      hint: 'Long',
    } as const;
    const markup = render(passwordField(field));
    expect(markup).toContain('type="password"');
    expect(markup).not.toContain('value=');
  });
});

describe('a form', () => {
  test('contains the CSRF token and the authorization request, if any', () => {
    const markup = render(form({ action: '/signin', csrf: 'token', pending: 'sealed', body: html`body` }));
    expect(markup).toContain('method="post" action="/signin"');
    expect(markup).toContain('<input type="hidden" name="csrf" value="token">');
    expect(markup).toContain('<input type="hidden" name="pending" value="sealed">');
    expect(hiddenInput('pending', undefined)).toBeUndefined();
  });
});
