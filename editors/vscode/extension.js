// SPDX-License-Identifier: GPL-2.0-or-later
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  client = new LanguageClient("gostap", { command: "gostap", args: ["lsp"] }, { documentSelector: [{ scheme: "file", language: "systemtap" }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
