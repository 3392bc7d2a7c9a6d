// A folder's upload: only its memory files are sent, with their paths, which browsers cut from the names.
const memory = /\.(md|markdown|md[cx]|json|jsonl|txt|ya?ml)$/i;
const skipped = /(^|\/)(\.git|\.hg|\.svn|\.jj|node_modules|bower_components|\.venv|venv|__pycache__|\.tox|\.nox|site-packages)\//;
const form = document.querySelector("form[data-upload]");
const input = form.querySelector("input[webkitdirectory]");
const count = form.querySelector("[data-count]");

input.addEventListener("change", () => {
  const kept = new DataTransfer();
  const paths = [];
  for (const file of input.files) {
    const path = file.webkitRelativePath || file.name;
    if (!memory.test(path) || skipped.test(path)) continue;
    kept.items.add(file);
    paths.push(path);
  }
  input.files = kept.files;
  form.elements.paths.value = JSON.stringify(paths);
  count.textContent = `${count.dataset.one} ${paths.length}`;
});
