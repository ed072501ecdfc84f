// Proves the form kit: errors are linked to their fields, values come back escaped, passwords never do.
import { describe, expect, test } from 'vitest';
import {
  errorSummary,
  form,
  hiddenInput,
  passwordField,
  selectField,
  textField,
} from '../../../src/web/html/form.ts';
import { html, render } from '../../../src/web/html/html.ts';

const errors = [{ field: 'email', text: 'Not an address' }, { text: 'Something else' }];

describe('error summary', () => {
  test('links each error to its field and takes the focus', () => {
    const markup = render(html`${errorSummary({ title: 'Two faults', errors })}`);
    expect(markup).toContain('role="alert" tabindex="-1" autofocus');
    expect(markup).toContain('<a href="#email">Not an address</a>');
    expect(markup).toContain('<li>Something else</li>');
  });

  test('is absent where the only error is shown at its field, which takes the focus', () => {
    const only = [{ field: 'email', text: 'Not an address' }];
    expect(errorSummary({ title: 'One error', errors: only })).toBeUndefined();
    expect(render(textField({ name: 'email', label: 'Email', errors: only }))).toContain(' autofocus');
    expect(render(textField({ name: 'name', label: 'Name', errors: only }))).not.toContain('autofocus');
    expect(render(textField({ name: 'email', label: 'Email', errors }))).not.toContain('autofocus');
  });

  test('stands where the only error has no field, or leads somewhere else', () => {
    const link = { href: '/elsewhere', text: 'Elsewhere' };
    for (const error of [{ text: 'Suspended' }, { field: 'email', text: 'Suspended', link }])
      expect(errorSummary({ title: 'One error', errors: [error] })).toBeDefined();
  });

  test('is absent without errors', () => {
    expect(errorSummary({ title: 'None', errors: [] })).toBeUndefined();
  });
});

describe('fields', () => {
  test('hint and error describe the input, and the error marks it', () => {
    const markup = render(textField({ name: 'email', label: 'Email', hint: 'Yours', errors }));
    expect(markup).toContain('<label class="field-label" for="email">');
    expect(markup).toContain('aria-describedby="email-hint email-error" aria-invalid="true"');
    expect(markup).toContain('<p class="field-error" id="email-error">Not an address</p>');
  });

  test('a list to choose from shows its error as well', () => {
    const field = { name: 'email', label: 'Email', options: [{ value: 'a', label: 'A' }], value: 'b' };
    const markup = render(selectField({ ...field, hint: 'Yours', errors }));
    expect(markup).toContain('aria-describedby="email-hint email-error" aria-invalid="true"');
    expect(markup).toContain('<p class="field-error" id="email-error">Not an address</p>');
    expect(render(selectField(field))).not.toMatch(/aria-invalid|aria-describedby|field-error/);
  });

  test('each error of a field stands at it, a line each', () => {
    const both = [...errors, { field: 'email', text: 'Not <yours>' }];
    expect(render(textField({ name: 'email', label: 'Email', errors: both }))).toContain(
      '<p class="field-error" id="email-error">Not an address<br>Not &lt;yours&gt;</p>',
    );
  });

  test('a field without an error of its own is not marked', () => {
    const markup = render(textField({ name: 'name', label: 'Name', errors }));
    expect(markup).not.toMatch(/aria-invalid|aria-describedby|field-error/);
  });

  test('what was typed comes back escaped', () => {
    expect(render(textField({ name: 'name', label: 'Name', value: '"><script>' }))).toContain(
      'value="&quot;&gt;&lt;script&gt;"',
    );
  });

  test('a field that may be left empty says so in its label, where it has a word for it', () => {
    const markup = render(textField({ name: 'phone', label: 'Phone', optional: 'optional' }));
    expect(markup).toContain('for="phone">Phone <span class="field-optional">(optional)</span></label>');
    expect(markup).not.toContain('required');
    expect(render(textField({ name: 'q', label: 'Search', optional: true }))).toContain('>Search</label>');
  });

  test('a password field never carries a value', () => {
    const forged = {
      name: 'password',
      label: 'Password',
      autocomplete: 'new-password',
      hint: 'Long',
    } as const;
    const markup = render(passwordField(forged));
    expect(markup).toContain('type="password"');
    expect(markup).not.toContain('value=');
  });
});

describe('form', () => {
  test('posts its CSRF token, and the pending request when there is one', () => {
    const markup = render(form({ action: '/signin', csrf: 'token', pending: 'sealed', body: html`body` }));
    expect(markup).toContain('method="post" action="/signin"');
    expect(markup).toContain('<input type="hidden" name="csrf" value="token">');
    expect(markup).toContain('<input type="hidden" name="pending" value="sealed">');
    expect(hiddenInput('pending', undefined)).toBeUndefined();
  });
});
