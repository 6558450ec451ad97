// SPDX-License-Identifier: GPL-2.0-or-later
//
// ownmarks: makes a library with a static mark in memory and loads it, as libstapsdt does, then passes by the mark until its input ends.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CODE = 0x400, TABLES = 0x600, DATA = 0x1000 };

static const char strings[] = "\0fire";
static const char names[] = "\0.text\0.dynsym\0.dynstr\0.hash\0.dynamic\0.note.stapsdt\0.shstrtab";

static struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	char until_code[CODE - sizeof(Elf64_Ehdr) - 3 * sizeof(Elf64_Phdr)];
	unsigned char code[TABLES - CODE]; /* nop, ret */
	Elf64_Sym symbols[2];
	Elf32_Word hash[5];
	char strings[sizeof(strings)];
	struct {
		Elf64_Nhdr header;
		char name[8];
		Elf64_Addr mark, base, semaphore;
		char text[32];
	} __attribute__((packed)) note;
	char names[sizeof(names)];
	Elf64_Shdr sections[8] __attribute__((aligned(8)));
	Elf64_Dyn dynamic[6] __attribute__((aligned(DATA)));
} image;

#define AT(member) __builtin_offsetof(struct image, member)
#define SECTION(i, name, type, member, link_to, entry)                                                          \
	image.sections[i] = (Elf64_Shdr){ .sh_name = name_of(name), .sh_type = type, .sh_flags = SHF_ALLOC,      \
					  .sh_addr = AT(member), .sh_offset = AT(member), .sh_size = sizeof(image.member), \
					  .sh_link = link_to, .sh_addralign = 1, .sh_entsize = entry }

static Elf64_Word name_of(const char *name)
{
	return (const char *)memmem(names, sizeof(names), name, strlen(name) + 1) - names;
}

static void make(void)
{
	static const char text[] = "shop\0sold\0008@%rdi -4@%esi";
	int i = 0;

	image.header = (Elf64_Ehdr){ .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = 1, .e_phoff = AT(segments),
				     .e_shoff = AT(sections), .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
				     .e_phnum = 3, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 8, .e_shstrndx = 7 };
	memcpy(image.header.e_ident, "\177ELF\2\1\1", 7);
	image.segments[0] = (Elf64_Phdr){ PT_LOAD, PF_R | PF_X, 0, 0, 0, AT(dynamic), AT(dynamic), 0x1000 };
	image.segments[1] = (Elf64_Phdr){ PT_LOAD, PF_R | PF_W, AT(dynamic), AT(dynamic), AT(dynamic), sizeof(image.dynamic), sizeof(image.dynamic), 0x1000 };
	image.segments[2] = (Elf64_Phdr){ PT_DYNAMIC, PF_R | PF_W, AT(dynamic), AT(dynamic), AT(dynamic), sizeof(image.dynamic), sizeof(image.dynamic), 8 };
	image.code[0] = 0x90;
	image.code[1] = 0xc3;
	image.symbols[1] = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = CODE, .st_size = 2 };
	memcpy(image.hash, (Elf32_Word[]){ 1, 2, 1, 0, 0 }, sizeof(image.hash));
	memcpy(image.strings, strings, sizeof(strings));
	image.note.header = (Elf64_Nhdr){ 8, 3 * 8 + sizeof(text), 3 };
	memcpy(image.note.name, "stapsdt", 8);
	image.note.mark = CODE;
	memcpy(image.note.text, text, sizeof(text));
	memcpy(image.names, names, sizeof(names));
	image.dynamic[i++] = (Elf64_Dyn){ DT_HASH, { AT(hash) } };
	image.dynamic[i++] = (Elf64_Dyn){ DT_SYMTAB, { AT(symbols) } };
	image.dynamic[i++] = (Elf64_Dyn){ DT_STRTAB, { AT(strings) } };
	image.dynamic[i++] = (Elf64_Dyn){ DT_STRSZ, { sizeof(strings) } };
	image.dynamic[i++] = (Elf64_Dyn){ DT_SYMENT, { sizeof(Elf64_Sym) } };
	SECTION(1, ".text", SHT_PROGBITS, code, 0, 0);
	image.sections[1].sh_flags |= SHF_EXECINSTR;
	SECTION(2, ".dynsym", SHT_DYNSYM, symbols, 3, sizeof(Elf64_Sym));
	SECTION(3, ".dynstr", SHT_STRTAB, strings, 0, 0);
	SECTION(4, ".hash", SHT_HASH, hash, 2, 4);
	SECTION(5, ".dynamic", SHT_DYNAMIC, dynamic, 3, sizeof(Elf64_Dyn));
	SECTION(6, ".note.stapsdt", SHT_NOTE, note, 0, 0);
	SECTION(7, ".shstrtab", SHT_STRTAB, names, 0, 0);
}

int main(void)
{
	void (*volatile fire)(const char *, int);
	int fd = memfd_create("ownmarks", 0), n = 0, c;
	void *library;
	char path[64];

	make();
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	if (write(fd, &image, sizeof(image)) != sizeof(image) || !(library = dlopen(path, RTLD_NOW)) || !(fire = dlsym(library, "fire"))) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while ((c = getchar()) != EOF)
		if (c == '\n')
			fire("pears", ++n);
	return 0;
}
