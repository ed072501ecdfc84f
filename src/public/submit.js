// Submits the form when the page loads (response mode form_post).
document.querySelector('form[data-submit]')?.submit();
