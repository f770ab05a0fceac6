// Questions to the server.

/** Asks the server; throws an Error with its one line. */
export async function ask(question, fields) {
  let response;
  try {
    response = fields === undefined
      ? await fetch(`/api/${question}`)
      : await fetch(`/api/${question}`, { method: "POST", body: JSON.stringify(fields) });
  } catch {
    throw new Error("The explorer has stopped: start it again with bash run.sh explore RUN.");
  }
  const content = await response.json();
  if (!response.ok) throw new Error(content.error);
  return content;
}
