// Starts `vc3 lsp` and lets the editor talk to it.

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = workspace.getConfiguration("vc3");
  const server = { command: settings.get("path") || "vc3", args: ["lsp"] };
  const { root, include, defines, kernal, lint } = settings;
  client = new LanguageClient("vc3", "SD-8516 assembly", server, {
    documentSelector: [{ language: "sda" }],
    initializationOptions: { root, include, defines, kernal, lint },
    synchronize: { configurationSection: "vc3" },
  });
  return client.start().catch(() => complain(server.command));
}

// The client itself shows why. Nobody waits for an answer: the editor goes on
// with the colours alone.
function complain(command) {
  const message = `\`${command} lsp\` does not start. The setting vc3.path names the command.`;
  window.showErrorMessage(message, "Open settings").then((choice) => {
    if (choice) commands.executeCommand("workbench.action.openSettings", "vc3.path");
  });
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop().catch(() => {});
}

exports.activate = (context) => {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    commands.registerCommand("vc3.restart", restart),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("vc3.path")) restart();
    }),
  );
  return start();
};

exports.deactivate = stop;
